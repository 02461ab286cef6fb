"""How each public data set is read: which files, which columns, which label is which.

A set that comes in a training and a test part is one stream, the test part last. Binary labels
are -1.0 and +1.0, classes are integers from zero, targets and features stay in raw units.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from benchmarks import readers
from benchmarks.readers import Matrix, Vector

Stream = tuple[Matrix, NDArray]

FOLDER_VARIABLE = "FENCHEL_DATA"


class DataMissingError(FileNotFoundError):
    """The folder of public data sets is not on this machine."""


def data_folder() -> Path:
    """Find the data: the environment variable, else ``shared/data`` beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get(FOLDER_VARIABLE, beside))
    if not folder.is_dir():
        raise DataMissingError(
            f"no public data at {folder}: set {FOLDER_VARIABLE} to the folder that holds the sets"
        )
    return folder


def in_folder(*files: str) -> list[Path]:
    return [data_folder() / file for file in files]


def signs(labels: ArrayLike, positive: object) -> Vector:
    return np.where(np.asarray(labels) == positive, 1.0, -1.0)


def class_numbers(labels: ArrayLike) -> NDArray[np.int64]:
    return np.unique(np.asarray(labels), return_inverse=True)[1]


# Text ------------------------------------------------------------------------------------------


def labelled_text(*files: str, separator: str | None = None, columns: int = 2) -> list:
    """Split each line into its columns and keep the first, the label, and the last, the text."""
    rows = (line.split(separator, columns - 1) for line in readers.lines(*in_folder(*files)))
    return [(row[0], row[-1]) for row in rows]


def text_binary(*files: str, positive: str, **columns: object) -> Stream:
    labels, documents = zip(*labelled_text(*files, **columns), strict=True)
    return readers.texts(documents), signs(labels, positive)


def trec() -> Stream:
    labels, documents = zip(
        *labelled_text("trec/TREC.train.all.gz", "trec/TREC.test.all"), strict=True
    )
    return readers.texts(documents), class_numbers(labels)


def reuters() -> Stream:
    parts = (f"reuters_r8/r8-{part}-all-terms.txt.gz" for part in ("train", "test"))
    pairs = [pair for pair in labelled_text(*parts, separator="\t") if pair != ("Class", "Example")]
    labels, documents = zip(*pairs, strict=True)
    return readers.texts(documents), class_numbers(labels)


def text_label_last(file: str) -> Stream:
    pairs = [line.rsplit("\t", 1) for line in readers.lines(data_folder() / file)]
    documents, labels = zip(*pairs, strict=True)
    return readers.texts(documents), signs(labels, "1")


def text_ratings(file: str) -> Stream:
    rows = [line.split("\t", 2) for line in readers.lines(data_folder() / file)]
    _, ratings, documents = zip(*rows, strict=True)
    return readers.texts(documents), np.array(ratings, dtype=np.float64)


def amazon(domain: str) -> Stream:
    folder = data_folder() / "sentiment_amazon_multidomain"
    positive, negative = (
        list(readers.word_counts(folder / f"{domain}.{side}.review.gz"))
        for side in ("positive", "negative")
    )
    y = np.repeat([1.0, -1.0], [len(positive), len(negative)])
    return readers.bag_of_words(positive + negative), y


def sentence_polarity() -> Stream:
    folder = data_folder() / "sentiment_rt_polarity"
    positive, negative = (
        list(readers.lines(folder / f"rt-polarity.{side}.gz")) for side in ("pos", "neg")
    )
    y = np.repeat([1.0, -1.0], [len(positive), len(negative)])
    return readers.texts(positive + negative), y


def airline() -> Stream:
    rows = readers.quoted_csv(data_folder() / "sentiment_airline" / "airline.csv.gz")
    labels = [row["labels"] for row in rows]
    return readers.texts(row["reviews"] for row in rows), signs(labels, "1")


def newsgroups(*groups: str) -> Stream:
    """All groups, or of two groups the first against the second."""
    parts = (f"newsgroups20/20news-bydate-{part}.tsv.bz2" for part in ("train", "test"))
    pairs = labelled_text(*parts, separator="\t", columns=3)
    kept = [(label, text) for label, text in pairs if not groups or label in groups]
    labels, documents = zip(*kept, strict=True)
    y = signs(labels, groups[0]) if groups else class_numbers(labels)
    return readers.texts(documents), y


# Sparse files ----------------------------------------------------------------------------------


def svmlight_binary(*files: str) -> Stream:
    X, labels = readers.svmlight(*in_folder(*files))
    return X, signs(labels, labels.max())


def svmlight_multiclass(file: str) -> Stream:
    X, labels = readers.svmlight(data_folder() / file)
    return X, class_numbers(labels)


def rcv1() -> Stream:
    folder = data_folder() / "rcv1_vw"
    return readers.vowpal_text(folder / "rcv1_small.dat.gz", folder / "rcv1_small_test.data.gz")


# Tables ----------------------------------------------------------------------------------------


def split_target(
    *files: str, target: int = -1, drop: tuple[object, ...] = (), **options: object
) -> tuple[Matrix, pd.Series]:
    """Read a table, take the target column by position and leave out the named columns."""
    frame = readers.table(*in_folder(*files), **options)
    labels = frame.iloc[:, target]
    features = frame.drop(columns=[frame.columns[target], *drop])
    return readers.columns_as_features(features), labels


def table_binary(file: str, positive: object, **options: object) -> Stream:
    X, labels = split_target(file, **options)
    return X, signs(labels, positive)


def table_multiclass(*files: str, **options: object) -> Stream:
    X, labels = split_target(*files, **options)
    return X, class_numbers(labels)


def table_regression(file: str, **options: object) -> Stream:
    X, target = split_target(file, **options)
    return X, target.to_numpy(dtype=np.float64)


def adult() -> Stream:
    """Raw census table; a missing value is a category of its own, ``?``."""
    X, labels = split_target("adult/adult.data.gz", "adult/adult.test.gz")
    return X, signs(labels.str.rstrip("."), ">50K")


def kddcup_attacks() -> Stream:
    """Attack of any kind against normal traffic."""
    X, labels = split_target("kddcup99/kddcup.data_10_percent.gz")
    return X, -signs(labels, "normal.")


def beijing() -> Stream:
    """Hourly pollution from the weather; hours whose target is missing are left out."""
    frame = readers.table(data_folder() / "beijing_pm25" / "pollution.csv.gz", header=0)
    frame = frame.dropna(subset="pm2.5").drop(columns="No")
    target = frame.pop("pm2.5").to_numpy(dtype=np.float64)
    return readers.columns_as_features(frame), target


def mnist() -> Stream:
    folder = data_folder() / "mnist"
    images = [readers.idx(folder / f"{part}-images-idx3-ubyte.gz") for part in ("train", "t10k")]
    labels = [readers.idx(folder / f"{part}-labels-idx1-ubyte.gz") for part in ("train", "t10k")]
    pixels = np.concatenate(images).reshape(-1, 28 * 28).astype(np.float64)
    return pixels, np.concatenate(labels).astype(np.int64)


# Signals ---------------------------------------------------------------------------------------


def next_sample(file: str, **options: object) -> tuple[Vector, Vector]:
    """Predict the next sample of one signal, the last column of a table."""
    signal = readers.table(data_folder() / file, **options).iloc[:, -1].to_numpy(dtype=np.float64)
    return signal[:-1], signal[1:]


def foetal_ecg() -> tuple[Vector, Vector]:
    """Cancel the mother's heart, seen by the first thoracic lead, in the first abdominal lead."""
    leads = np.loadtxt(data_folder() / "foetal_ecg" / "foetal_ecg.dat.gz")
    return leads[:, 6], leads[:, 1]


def speech_echo() -> tuple[Vector, Vector]:
    folder = data_folder() / "aec_speech"
    return readers.wav(folder / "x.wav.gz"), readers.wav(folder / "d.wav.gz")
