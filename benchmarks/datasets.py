"""The public data sets as streams, each in the order in which it has to be played.

``python -m benchmarks.datasets`` prints the catalogue with its measures.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy import sparse

from benchmarks import loaders
from benchmarks.loaders import (
    DataMissingError,
    Stream,
    svmlight_binary,
    svmlight_multiclass,
    table_binary,
    table_multiclass,
    table_regression,
    text_binary,
    text_label_last,
    text_ratings,
)

Task = Literal["binary", "multiclass", "regression", "signal"]
Order = Literal["mixed", "sorted", "time"]

SHUFFLE_SEED = 0


@dataclass(frozen=True)
class Dataset:
    """One stream: what it is for, how its file is ordered, and how to read it."""

    name: str
    task: Task
    order: Order
    read: Callable[[], Stream]

    def load(self) -> Stream:
        """Return ``(X, y)`` in playing order; a sorted file is shuffled with a fixed seed.

        A signal is a pair of 1-D arrays, ``(reference, desired)``: ``desired[t]`` is to be
        predicted from ``reference[: t + 1]``.
        """
        X, y = self.read()
        if self.order == "sorted":
            shuffled = np.random.default_rng(SHUFFLE_SEED).permutation(len(y))
            X, y = X[shuffled], y[shuffled]
        return X, y


def entries(task: Task, order: Order, **read: Callable[[], Stream]) -> list[Dataset]:
    return [Dataset(name, task, order, reader) for name, reader in read.items()]


CATALOGUE = [
    *entries(
        "binary",
        "sorted",
        movie_reviews=partial(
            text_binary,
            "sentiment_movie_reviews/review_polarity_v2.tsv.gz",
            positive="pos",
            separator="\t",
            columns=3,
        ),
        amazon_books=partial(loaders.amazon, "books"),
        amazon_dvd=partial(loaders.amazon, "dvd"),
        amazon_electronics=partial(loaders.amazon, "electronics"),
        amazon_kitchen=partial(loaders.amazon, "kitchen"),
        sentence_polarity=loaders.sentence_polarity,
        newsgroups_pc_mac=partial(
            loaders.newsgroups, "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"
        ),
        w8a=partial(svmlight_binary, "w8a/w8a.gz"),
        mushrooms=partial(svmlight_binary, "mushrooms/mushrooms.gz"),
        svmguide1=partial(svmlight_binary, "svmguide1/svmguide1"),
        spambase=partial(table_binary, "spambase/spambase.csv.gz", positive=1, header=0),
        magic04=partial(table_binary, "magic04/magic04.data.gz", positive="g"),
        kddcup_attacks=loaders.kddcup_attacks,
    ),
    *entries(
        "binary",
        "mixed",
        sst2=partial(
            text_binary,
            *(f"sentiment_sst2/stsa.binary.{part}" for part in ("train.gz", "dev", "test")),
            positive="1",
        ),
        uci_imdb=partial(text_label_last, "sentiment_uci_sentences/imdb_labelled.txt"),
        uci_yelp=partial(text_label_last, "sentiment_uci_sentences/yelp_labelled.txt"),
        uci_amazon=partial(text_label_last, "sentiment_uci_sentences/amazon_cells_labelled.txt"),
        airline=loaders.airline,
        sms_spam=partial(
            text_binary, "sms_spam/SMSSpamCollection.tsv.gz", positive="spam", separator="\t"
        ),
        rcv1=loaders.rcv1,
        a9a=partial(svmlight_binary, "a9a/a9a.gz", "a9a/a9a.t.gz"),
        phishing=partial(svmlight_binary, "phishing/phishing.gz"),
        splice=partial(svmlight_binary, "splice/splice.gz"),
        german=partial(svmlight_binary, "german/german.numer_scale"),
        adult=loaders.adult,
    ),
    *entries(
        "binary",
        "time",
        spam_stream=partial(svmlight_binary, "spam_stream/spam.libsvm.gz"),
        elec2=partial(table_binary, "elec2/elec.csv.gz", positive=1, header=0),
        weather=partial(table_binary, "weather/weather.csv.gz", positive=1, header=0),
    ),
    *entries(
        "multiclass",
        "mixed",
        mnist=loaders.mnist,
        usps=partial(svmlight_multiclass, "usps/usps.t.bz2"),
        letter=partial(svmlight_multiclass, "letter/letter.scale.gz"),
        # The header names the columns wrongly; all are used by position.
        covtype=partial(table_multiclass, "covtype/covtype_sample.csv.gz", header=0),
        reuters_r8=loaders.reuters,
        trec=loaders.trec,
    ),
    *entries(
        "multiclass",
        "sorted",
        satimage=partial(table_multiclass, "satimage/sat.trn.gz", "satimage/sat.tst.gz", sep=" "),
        newsgroups20=loaders.newsgroups,
        kddcup99=partial(table_multiclass, "kddcup99/kddcup.data_10_percent.gz"),
    ),
    *entries(
        "regression",
        "mixed",
        abalone=partial(table_regression, "abalone/abalone.data"),
        compactiv=partial(table_regression, "compactiv/compactiv.dat.gz"),
        casp_protein=partial(table_regression, "casp_protein/CASP.csv.gz", target=0, header=0),
        ccpp=partial(table_regression, "ccpp/Folds5x2_pp.csv.gz"),
        wine_white=partial(
            table_regression, "wine_quality/winequality-white.csv.gz", sep=";", header=0
        ),
        wine_red=partial(table_regression, "wine_quality/winequality-red.csv", sep=";", header=0),
        # The share of votes, which the election study explains, comes first.
        space_ga=partial(table_regression, "space_ga/space_ga.arff", target=0),
        vader_tweets=partial(text_ratings, "sentiment_vader_ratings/tweets_GroundTruth.txt.gz"),
        vader_amazon=partial(
            text_ratings, "sentiment_vader_ratings/amazonReviewSnippets_GroundTruth.txt.gz"
        ),
        vader_editorials=partial(
            text_ratings, "sentiment_vader_ratings/nytEditorialSnippets_GroundTruth.txt.gz"
        ),
    ),
    *entries(
        "regression",
        "sorted",
        cal_housing=partial(table_regression, "cal_housing/cal_housing.csv.gz", header=0),
        energy_heating=partial(table_regression, "energy/ENB2012_data.csv", target=8, drop=(9,)),
        energy_cooling=partial(table_regression, "energy/ENB2012_data.csv", target=9, drop=(8,)),
        concrete=partial(table_regression, "concrete/Concrete_Data.csv"),
        airfoil=partial(table_regression, "airfoil/airfoil_self_noise.dat", sep="\t"),
        # Positive snippets come first, negative ones last.
        vader_movies=partial(
            text_ratings, "sentiment_vader_ratings/movieReviewSnippets_GroundTruth.txt.gz"
        ),
    ),
    *entries(
        "regression",
        "time",
        bike_sharing=partial(
            table_regression,
            "bike_sharing/hour.csv.gz",
            header=0,
            # The two kinds of riders add up to the target.
            drop=("instant", "dteday", "casual", "registered"),
        ),
        beijing_pm25=loaders.beijing,
    ),
    *entries(
        "signal",
        "time",
        foetal_ecg=loaders.foetal_ecg,
        speech_echo=loaders.speech_echo,
        ecg=partial(loaders.next_sample, "ecg_mitbih208/ecg_mlii_adc.txt.gz"),
        sunspots=partial(loaders.next_sample, "sunspots/monthly-sunspots.csv", header=0),
    ),
]


def datasets(task: Task | None = None) -> Iterator[Dataset]:
    """Yield the catalogue's entries, all or those of one task."""
    return (entry for entry in CATALOGUE if task in (None, entry.task))


def named(name: str) -> Dataset:
    """Return the entry of this name."""
    for entry in CATALOGUE:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in CATALOGUE)
    raise KeyError(f"no data set {name!r}; there are {known}")


def balance(task: Task, y: np.ndarray) -> str:
    """Describe the labels: share of positives, largest of the classes, or range of the target."""
    if task == "binary":
        return f"{(y > 0).mean():.1%} positive"
    if task == "multiclass":
        counts = np.bincount(y)
        return f"{len(counts)} classes, largest {counts.max() / len(y):.1%}"
    return f"{y.min():.6g} .. {y.max():.6g}"


def main() -> None:
    layout = "{:<20}{:<12}{:>8}{:>9}{:>11}  {:<8}{}"
    print(layout.format("name", "task", "rows", "columns", "nnz a row", "order", "labels"))
    for entry in datasets():
        X, y = entry.load()
        nonzeros = X.nnz if sparse.issparse(X) else np.count_nonzero(X)
        columns = X.shape[1] if X.ndim == 2 else 1
        measures = (len(y), columns, f"{nonzeros / len(y):.1f}")
        print(layout.format(entry.name, entry.task, *measures, entry.order, balance(entry.task, y)))


if __name__ == "__main__":
    try:
        main()
    except DataMissingError as missing:
        raise SystemExit(str(missing)) from missing
