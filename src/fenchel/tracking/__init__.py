"""Models and progressive metrics in MLflow (``pip install "fenchel[mlflow]"``).

from fenchel import tracking
tracking.autolog()                       # losses along the run, of whatever learns from now on
tracking.log_model(learner, name="spam")
learner = tracking.load_model("models:/spam/1")
"""

from fenchel.tracking.autologging import autolog
from fenchel.tracking.flavor import _load_pyfunc as _load_pyfunc  # MLflow looks for it here
from fenchel.tracking.flavor import load_model, log_model, save_model

__all__ = ["autolog", "load_model", "log_model", "save_model"]
