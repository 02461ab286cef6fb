"""CSV: numbers, categories, quotes, missing values, headers, labels."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_helpers import read, rows_of, text_stream

from fenchel import Schema
from fenchel.streams import BadInput

TEXT = '''age,job,"salary, gross",married
41,cook,"1.5",yes
 30 , "night ""guard""",0,no
NA,"two
lines",?,yes
'''


def test_a_file_with_everything() -> None:
    stream = text_stream(TEXT, "csv")
    assert rows_of(stream) == [
        ("yes", [("age", 41.0), ("job=cook", 1.0), ("salary, gross", 1.5)]),
        ("no", [("age", 30.0), ('job=night "guard"', 1.0)]),
        ("yes", [("job=two\nlines", 1.0)]),
    ]
    assert stream.label == "married"


@pytest.mark.parametrize(
    "missing", ["", "NA", "n/a", "?", "nan", "NaN", "null", "NULL", "#N/A", '""', " "]
)
def test_missing_values_are_absent(missing: str) -> None:
    assert read(f"a,b,y\n1,2,1\n{missing},3,0\n", "csv")[1] == (0.0, [("b", 3.0)])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(separator: str) -> None:
    records = [["a", '"b;,\tb"', "y"], ["1", '"x\ny"', "0"]]
    text = "".join(separator.join(record) + "\n" for record in records)
    assert read(text, "csv", chunk_bytes=8) == [(0.0, [("a", 1.0), ("b;,\tb=x\ny", 1.0)])]


def test_label_by_name() -> None:
    stream = text_stream("y,a,b\n1,2,3\n", "csv", label="y")
    assert rows_of(stream) == [(1.0, [("a", 2.0), ("b", 3.0)])]
    with pytest.raises(BadInput, match=r"no column .* \('z'\); .* y, a, b"):
        read("y,a,b\n1,2,3\n", "csv", label="z")


def test_without_a_header() -> None:
    expected = [(3.0, [("1", 1.0), ("2", 2.0)]), (6.0, [("1", 4.0), ("2", 5.0)])]
    assert read("1,2,3\n4,5,6\n", "csv") == expected
    assert read("a,2,3\n", "csv", header=False) == [(3.0, [("1=a", 1.0), ("2", 2.0)])]
    assert read("2019,2020\n1,2\n", "csv", header=True) == [(2.0, [("2019", 1.0)])]
    assert read("1,2,3\n", "csv", header=False, label="1") == [(1.0, [("2", 2.0), ("3", 3.0)])]


@pytest.mark.parametrize("line", ["5.1,3.5,setosa", "39,State-gov,77516,<=50K", "7,red", "0,y"])
def test_a_first_line_that_looks_like_a_row_is_not_taken_for_a_header(line: str) -> None:
    with pytest.raises(BadInput, match=r":1: the first line looks like a row, .*header=False"):
        read(f"{line}\n{line}\n", "csv")
    assert len(read(f"{line}\n{line}\n", "csv", header=False)) == 2
    assert len(read(f"{line}\n{line}\n", "csv", header=True)) == 1


@pytest.mark.parametrize("header", ["x,0,1,2,y", "city,2019,2020,2021,y", ",2,3,4,y", "1_2,3_4,y"])
def test_numbers_that_name_columns(header: str) -> None:
    names = [cell or "1" for cell in header.split(",")]
    values = ",".join(str(k + 0.5) for k in range(len(names)))
    ((label, entries),) = read(f"{header}\n{values}\n", "csv")
    assert [name for name, _ in entries] == names[:-1]
    assert label == len(names) - 0.5


def test_a_column_without_a_name_beside_one_that_has_its_number() -> None:
    ((_, entries),) = read(",0,1,label\n7,8,9,1\n", "csv")
    assert entries == [("column 1", 7.0), ("0", 8.0), ("1", 9.0)]


def test_a_line_that_may_be_a_header_or_a_row_is_not_guessed_at() -> None:
    text = ",0,1\n5,6,7\n"
    with pytest.raises(BadInput, match=r":1: the first line may be a header or a row \(',0,1'\)"):
        read(text, "csv")
    assert read(text, "csv", header=True) == [(7.0, [("column 1", 5.0), ("0", 6.0)])]
    assert len(read(text, "csv", header=False)) == 2


def test_a_word_that_names_the_label_makes_a_header() -> None:
    assert read("0,y\n1.5,2\n", "csv", label="y") == [(2.0, [("0", 1.5)])]
    with pytest.raises(BadInput, match="looks like a row"):
        read("5.1,setosa\n", "csv", label="5.1")


def test_rows_to_predict() -> None:
    assert read("a,b\n1,2\n", "csv", labelled=False) == [(None, [("a", 1.0), ("b", 2.0)])]
    assert read("a,y\n1,2\n", "csv", labelled=False, label="y") == [(None, [("a", 1.0)])]
    assert read("a\n1\n", "csv", labelled=False, label="y") == [(None, [("a", 1.0)])]


def test_the_first_value_settles_a_column() -> None:
    assert read("a,y\nx,1\n3,1\n", "csv")[1] == (1.0, [("a=3", 1.0)])
    with pytest.raises(BadInput, match="categorical=") as refused:
        read("a,y\n?,1\n3,1\nx,1\n", "csv")
    assert (refused.value.line, refused.value.column) == (4, 1)
    assert read("a,y\n3,1\nx,1\n", "csv", categorical=["a"])[0] == (1.0, [("a=3", 1.0)])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_column_settled_in_an_earlier_chunk(threads: int) -> None:
    text = "a,b,y\n" + "?,1,no\n" * 50 + "x,1,no\n" + "3,1,yes\n" * 50
    rows = read(text, "csv", chunk_bytes=40, threads=threads)
    assert rows[60] == ("yes", [("b", 1.0), ("a=3", 1.0)])  # in the order met
    text = "a,b,y\n" + "3,1,no\n" * 50 + "x,1,no\n" * 50
    with pytest.raises(BadInput) as refused:
        read(text, "csv", chunk_bytes=40, threads=threads)
    assert refused.value.line == 52


def test_a_refused_line_settles_nothing() -> None:
    stream = text_stream("a,b,y\njunk\n1,2,3\n", "csv", on_error="skip")
    assert rows_of(stream) == [(3.0, [("a", 1.0), ("b", 2.0)])]


def test_a_name_that_is_too_long() -> None:
    with pytest.raises(BadInput, match="more than 65535 bytes"):
        read("a" * 70_000 + ",y\n1,2\n", "csv")


def test_a_quote_inside_a_cell_is_a_character() -> None:
    rows = read('size,y\n6" x 4",1\n"5"" x 4""",0\n', "csv")
    assert [names for _, names in rows] == [[('size=6" x 4"', 1.0)], [('size=5" x 4"', 1.0)]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b,y\r1,2,0\r", "the lines end with carriage returns; end them with line feeds"),
        ("a,b,y,\n1,2,0,\n", "the label is missing; .* name the label's column with label="),
    ],
)
def test_files_of_other_programs_are_told_apart(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read(text, "csv")


@pytest.mark.parametrize("text", ['\ufeff"a","b c",y\r\n1,2,0\r\n\r\n', '\n"a", "b c",y \n1,2,0'])
def test_marks_quotes_and_line_ends_of_other_programs(text: str) -> None:
    assert read(text, "csv") == [(0.0, [("a", 1.0), ("b c", 2.0)])]


def test_quotes_may_be_letters() -> None:
    text = 'y\ta\n0\t"so" he said\n1\t"never closed\n1\tlast\n'
    with pytest.raises(BadInput, match=r"double the quotes .* say quotes=False"):
        read(text, "csv", label="y")
    rows = read(text, "csv", label="y", quotes=False, chunk_bytes=16)
    assert [names[0][0] for _, names in rows] == ['a="so" he said', 'a="never closed', "a=last"]


@pytest.mark.parametrize("quoted", [False, True])
def test_a_text_may_be_longer_than_a_name(quoted: bool) -> None:
    words = "word " * 40_000 + ('say ""hi""' if quoted else "end")
    cell = f'"{words}"' if quoted else words
    (row,) = read(f"t,y\n{cell},1\n", "csv", schema=Schema({"t": "text"}))
    assert dict(row[1])["t=word"] == 40_000.0


def test_a_header_that_is_not_utf8() -> None:
    with pytest.raises(BadInput, match=r":1: bytes that are not UTF-8 .*convert the file to UTF-8"):
        read("näme,y\n1,2\n".encode("latin-1"), "csv")


def test_columns_that_were_not_told_apart() -> None:
    with pytest.raises(BadInput, match=r"no features \('a b y'\); separate columns by a comma"):
        read("a b y\n1 2 0\n", "csv")
    with pytest.raises(BadInput, match="no features"):
        read("1\n0\n", "csv")


def test_a_decimal_comma_in_the_first_row_is_found() -> None:
    text = "job;pay;y\ncook;1,5;0\nmaid;-2,25;1\n"
    assert [dict(row)["pay"] for _, row in read(text, "csv")] == [1.5, -2.25]
    assert read(text, "csv", categorical=["pay"])[0][1][1] == ("pay=1,5", 1.0)
    assert read('job,pay,y\n"1,5",2,0\n', "csv", decimal=".")[0][1][0] == ("job=1,5", 1.0)


def test_a_decimal_comma_that_comes_later_names_the_remedy() -> None:
    with pytest.raises(BadInput, match=r":3:.*'1,5'.*decimal="):
        read("pay;y\n1;0\n1,5;0\n", "csv")
    with pytest.raises(BadInput, match=r":2: a decimal comma in the column pay, where others have"):
        read("pay;more;y\n1,5;2.5;0\n", "csv")
    assert read("pay;y\n1;0\n1,5;0\n", "csv", decimal=",")[1][1] == [("pay", 1.5)]


def test_two_columns_of_one_name() -> None:
    with pytest.raises(BadInput, match=r"two columns have one name \('a'\); .* header=False"):
        read("a,a,y\n1,2,3\n", "csv")


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.integers(1, 60))
def test_whatever_the_csv_module_writes(rows: list[tuple[str, str]], chunk: int) -> None:
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["a", "b", "y"])
    writer.writerows([f"<{a}", f"<{b}", "1"] for a, b in rows)
    expected = [(1.0, {f"a=<{a}".rstrip(): 1.0, f"b=<{b}".rstrip(): 1.0}) for a, b in rows]
    found = read(file.getvalue(), "csv", chunk_bytes=chunk)
    assert [(label, dict(row)) for label, row in found] == expected


def test_a_short_line_is_told_as_such_whatever_its_last_cell_is() -> None:
    for cell in ("3", "no"):
        with pytest.raises(BadInput, match=r":3:\d+: the line has too few cells"):
            read(f"a,b,y\n1,2,yes\n2,{cell}\n", "csv")
    with pytest.raises(BadInput, match=r":3:1: text in a column of numbers \('no'\)"):
        read("a,b,y\n1,2,yes\nno,3,yes\n", "csv")
