import bz2
import sys

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import shuffle

from fenchel.estimators import OnlineClassifier


def read(file):
    with bz2.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.split("\t") for line in lines]
    return HashingVectorizer(n_features=2**18).transform(r[-1] for r in rows), [r[0] for r in rows]


(X, y), test = shuffle(*read(sys.argv[1]), random_state=0), read(sys.argv[2])
model = OnlineClassifier("arow").fit(X[::2], y[::2])
model.save("news.fenchel")
model = OnlineClassifier.load("news.fenchel")
print(model.score(*test), model.partial_fit(X[1::2], y[1::2]).score(*test))
