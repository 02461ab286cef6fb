"""Counts: ``auto`` with the Poisson loss on the hourly bikes, beside River and scikit-learn.

``python -m benchmarks.counts`` writes ``COUNTS.md``: the mean Poisson deviance of predictions made
before each label, hours in their order. Raw columns are the twelve as they are; in the other table
season, month, hour, weekday and weather are categories. scikit-learn's PoissonRegressor, which cannot
learn along, is fitted anew every 500 rows on all rows before; its SGDRegressor has no Poisson loss, and
has the squared one. The features of the peers are scaled; of eight learning rates of River's the best in
hindsight is shown too.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd

from fenchel import learners

PATH = Path(__file__).with_name("COUNTS.md")
CATEGORIES = ["season", "mnth", "hr", "weekday", "weathersit"]
COLUMNS = [*CATEGORIES, "yr", "holiday", "workingday", "temp", "atemp", "hum", "windspeed"]
LEAST = 0.1  # a mean predicted below this is held there: the squared loss predicts negative ones
RATES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]


def deviance(means, y):
    """2·(y·ln(y/μ) − y + μ), on average."""
    means = np.maximum(means, LEAST)
    logs = np.where(y > 0, y * np.log(np.maximum(y, 1) / means), 0.0)
    return float(2.0 * np.mean(logs - y + means))


def bikes(folder):
    """Both tables and the counts."""
    frame = pd.read_csv(Path(folder) / "bike_sharing" / "hour.csv.gz")
    raw = frame[COLUMNS].to_numpy(float)
    wide = pd.get_dummies(frame[COLUMNS], columns=CATEGORIES).to_numpy(float)
    return {"raw columns": raw, "with categories": wide}, frame["cnt"].to_numpy(float)


def ours(X, y):
    return np.exp(learners.auto(task="regression", loss="poisson").learn_many(X, y))


def squared(X, y):
    return learners.auto(task="regression").learn_many(X, y)


def running_mean(X, y):
    return np.concatenate([[1.0], np.cumsum(y)[:-1] / np.arange(1, len(y))])


def refitted(X, y, every=500):
    from sklearn.linear_model import PoissonRegressor
    from sklearn.preprocessing import StandardScaler

    means = np.full(len(y), 1.0)
    for begin in range(every, len(y), every):
        scaler = StandardScaler().fit(X[:begin])
        model = PoissonRegressor(alpha=1e-3, max_iter=300).fit(
            scaler.transform(X[:begin]), y[:begin]
        )
        means[begin : begin + every] = model.predict(scaler.transform(X[begin : begin + every]))
    return means


def stochastic(X, y):
    from sklearn.linear_model import SGDRegressor
    from sklearn.preprocessing import StandardScaler

    scaler, model, means = StandardScaler(), SGDRegressor(random_state=0), np.zeros(len(y))
    for t in range(len(y)):
        row = X[t : t + 1]
        if t:
            means[t] = model.predict(scaler.transform(row))[0]
        scaler.partial_fit(row)
        model.partial_fit(scaler.transform(row), y[t : t + 1])
    return means


def river(X, y, rate):
    from river import linear_model, optim, preprocessing

    regression = linear_model.LinearRegression(
        optimizer=optim.SGD(rate), loss=optim.losses.Poisson(), intercept_lr=rate
    )
    model, means = preprocessing.StandardScaler() | regression, np.zeros(len(y))
    try:
        for t, row in enumerate(X.tolist()):
            x = dict(enumerate(row))
            means[t] = model.predict_one(x)
            model.learn_one(x, y[t])
    except OverflowError:  # it has diverged
        means[:] = np.inf
    return means


def rivers(X, y):
    """River's default rate, and the best of all."""
    found = {rate: deviance(river(X, y, rate), y) for rate in RATES}
    found = {rate: value if value == value else np.inf for rate, value in found.items()}
    best = min(found, key=found.__getitem__)
    return found[0.01], (found[best], best)


def rows(X, y):
    default, (least, rate) = rivers(X, y)
    return {
        "fenchel `auto`, Poisson": deviance(ours(X, y), y),
        "fenchel `auto`, squared": deviance(squared(X, y), y),
        "scikit-learn PoissonRegressor, refitted every 500": deviance(refitted(X, y), y),
        "scikit-learn SGDRegressor, squared": deviance(stochastic(X, y), y),
        "River LinearRegression, Poisson, rate 0.01": default,
        f"the same, best of 8 rates ({rate:g})": least,
        "mean of all counts before": deviance(running_mean(X, y), y),
    }


def main():
    tables, y = bikes(os.environ.get("FENCHEL_DATA", "../shared/data"))
    found = {name: rows(X, y) for name, X in tables.items()}
    text = "# Counts\n\n" + (__doc__ or "").split("\n\n", 1)[1] + "\n"
    labels = [list(column) for column in found.values()]
    text += "| learner | " + " | ".join(found) + " |\n|---|" + "---:|" * len(found) + "\n"
    for k, name in enumerate(labels[0]):
        told = [list(column.values())[k] for column in found.values()]
        cells = [f"{value:.4g}" if np.isfinite(value) else "diverges" for value in told]
        names = name if all(label[k] == name for label in labels) else "the same, best of 8 rates"
        text += f"| {names} | " + " | ".join(cells) + " |\n"
    PATH.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
