"""A model flavour of MLflow: a learner or an estimator in a folder that MLflow logs, loads and serves."""

from __future__ import annotations

import platform
import sys
from os import PathLike
from pathlib import Path
from typing import Any

from fenchel import models
from fenchel._version import __version__
from fenchel.estimators import OnlineClassifier, OnlineRanker, OnlineRegressor
from fenchel.learners import Learner

NAME, DATA = "fenchel", "model.fenchel"
REQUIREMENTS, ENVIRONMENT = "requirements.txt", "python_env.yaml"
ESTIMATORS = {kind.__name__: kind for kind in (OnlineClassifier, OnlineRegressor, OnlineRanker)}
ANSWERS = ("predict", "predict_proba", "decision")


def mlflow_of() -> Any:
    """MLflow itself, or an error that says how to install it."""
    try:
        import mlflow.models
        import mlflow.pyfunc
    except ImportError:
        raise ImportError('tracking needs MLflow: pip install "fenchel[mlflow]"') from None
    return mlflow


def save_model(
    model: Any,
    path: str | PathLike[str],
    mlflow_model: Any = None,
    *,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
    pyfunc_predict_fn: str = "predict",
) -> None:
    """Save a learner or a fitted estimator as a folder in MLflow's format.

    ``pyfunc_predict_fn`` is what MLflow's generic ``predict`` answers: ``predict``, ``predict_proba`` (a
    column a class) or ``decision`` (margins). Without a signature, one is made of ``input_example``.
    """
    mlflow = mlflow_of()
    if pyfunc_predict_fn not in ANSWERS:
        raise ValueError(f"pyfunc_predict_fn={pyfunc_predict_fn!r}: one of {', '.join(ANSWERS)}")
    learner, folder = learner_in(model), Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} has files in it: give another path")
    folder.mkdir(parents=True, exist_ok=True)
    about = mlflow.models.Model() if mlflow_model is None else mlflow_model
    if signature is None and input_example is not None:
        answers = getattr(TrackedModel(learner), pyfunc_predict_fn)(input_example)
        signature = mlflow.models.infer_signature(input_example, answers)
    if signature:
        about.signature = signature
    if metadata is not None:
        about.metadata = metadata
    model.save(folder / DATA)
    _write_environment(folder, pip_requirements)
    mlflow.pyfunc.add_to_model(
        about,
        loader_module="fenchel.tracking",
        data=DATA,
        python_env=ENVIRONMENT,
        predict_fn=pyfunc_predict_fn,
    )
    about.add_flavor(
        NAME,
        fenchel_version=__version__,
        data=DATA,
        learner=learner.specification,
        task=learner.task,
        rounds=learner.rounds,
    )
    about.save(str(folder / "MLmodel"))


def log_model(model: Any, name: str = "model", **options: Any) -> Any:
    """Log a learner or a fitted estimator to the active run, and return MLflow's ``ModelInfo``.

    Options are those of ``save_model`` and of ``mlflow.models.Model.log``: ``registered_model_name``,
    ``signature``, ``input_example``, ``tags`` …
    """
    mlflow, own = mlflow_of(), sys.modules["fenchel.tracking"]
    learner_in(model)
    return mlflow.models.Model.log(
        artifact_path=None, name=name, flavor=own, flavor_name=NAME, model=model, **options
    )


def load_model(model_uri: str | PathLike[str]) -> Any:
    """Load what was saved or logged: a learner, or the estimator that it was, ready to learn on."""
    folder = Path(mlflow_of().artifacts.download_artifacts(str(model_uri)))
    return _loaded(folder / DATA)


def _loaded(path: Path) -> Any:
    told = models.read_metadata(path).get("estimator")
    return Learner.load(path) if told is None else ESTIMATORS[told["kind"]].load(path)


def _load_pyfunc(path: str) -> TrackedModel:
    """Load a model for ``mlflow.pyfunc.load_model``, which gives the path of the data."""
    return TrackedModel(learner_in(_loaded(Path(path))))


def learner_in(model: Any) -> Learner:
    """The learner, of an estimator the one inside."""
    learner = model if isinstance(model, Learner) else getattr(model, "learner_", None)
    if not isinstance(learner, Learner):
        raise ValueError(f"{model!r:.60}: give a learner, or an estimator that is fitted")
    return learner


class TrackedModel:
    """The learner as MLflow's generic function of rows (a frame, dicts or an array), by three names."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Predict the label or number of every row."""
        return self.learner.predict_many(self._rows(model_input))

    def decision(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Compute the margins of every row."""
        return self.learner.decision_many(self._rows(model_input))

    def predict_proba(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """Predict the probabilities of every row, a column a class."""
        import pandas

        chances = self.learner.predict_proba_many(self._rows(model_input))
        columns = [str(label) for label in self.learner.outcomes()]
        index = model_input.index if isinstance(model_input, pandas.DataFrame) else None
        return pandas.DataFrame(chances, columns=columns, index=index)

    def _rows(self, given: Any) -> Any:
        if self.learner.names is None and hasattr(given, "to_numpy"):  # columns by their place
            return given.to_numpy()
        return [given] if isinstance(given, dict) else given


def _write_environment(folder: Path, requirements: list[str] | None) -> None:
    """The two files from which MLflow builds an environment to serve in."""
    needed = requirements or [f"fenchel[mlflow]=={__version__}"]
    (folder / REQUIREMENTS).write_text("".join(f"{line}\n" for line in needed), encoding="utf-8")
    (folder / ENVIRONMENT).write_text(
        f"python: {platform.python_version()}\n"
        f"build_dependencies:\n- pip\ndependencies:\n- -r {REQUIREMENTS}\n",
        encoding="utf-8",
    )
