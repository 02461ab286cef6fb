"""Words and letters of a text: lower case, runs of letters and digits, n-grams.

One table says for every character of Unicode whether it belongs to a word and what its lower case is, so
that compiled code and Python mean the same.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
from numpy.typing import NDArray

LARGEST = sys.maxunicode + 1
LAST_LETTERS = 0x33480  # no letters or digits beyond, so far
BLOCK = 128
WORD = np.uint32(1 << 31)  # set where a character belongs to a word


@cache
def character_table() -> NDArray[np.uint32]:
    """For each character its lower case, with ``WORD`` set where it belongs to a word.

    A lower case of several characters (one in all of Unicode) is its first.
    """
    table = np.arange(LARGEST, dtype=np.uint32)
    for begin in range(0, LAST_LETTERS, BLOCK):
        block = "".join(map(chr, range(begin, begin + BLOCK)))
        if block.isalnum() and block == block.lower():  # most of what there is: Chinese, Korean
            table[begin : begin + BLOCK] |= WORD
        elif any(map(str.isalnum, block)):
            for code, letter in enumerate(block, begin):
                if letter.isalnum() or letter == "_":
                    table[code] = ord(letter.lower()[0]) | WORD
    return table


def words_of(text: str, lower: bool = True, shortest: int = 2) -> list[str]:
    """The words of a text: runs of letters, digits and underscores of at least ``shortest``.

    >>> words_of("It's ÉTÉ, 2nd_go!")
    ['it', 'été', '2nd_go']
    """
    table = character_table()
    words: list[str] = []
    word: list[str] = []
    for letter in text:
        entry = int(table[ord(letter)])
        if entry & int(WORD):
            word.append(chr(entry & ~int(WORD)) if lower else letter)
        elif word:
            words.append("".join(word))
            word = []
    if word:
        words.append("".join(word))
    return [word for word in words if len(word) >= shortest]


def ngrams(words: list[str], least: int, most: int) -> list[str]:
    """Runs of ``least`` to ``most`` words, joined by a space, shorter ones first.

    >>> ngrams(["to", "be", "or"], 1, 2)
    ['to', 'be', 'or', 'to be', 'be or']
    """
    return [
        " ".join(words[i : i + n])
        for n in range(least, most + 1)
        for i in range(len(words) - n + 1)
    ]


def letter_grams(words: list[str], least: int, most: int) -> list[str]:
    """Runs of ``least`` to ``most`` letters inside words, a word written with ‹ and › around it.

    >>> letter_grams(["no"], 2, 3)
    ['‹n', 'no', 'o›', '‹no', 'no›']
    """
    found = []
    for n in range(least, most + 1):
        for word in words:
            edged = f"‹{word}›"
            found += [edged[i : i + n] for i in range(len(edged) - n + 1)]
    return found
