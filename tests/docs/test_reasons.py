"""Every sentence that refuses has a reason beside its code, and is in the documents."""

import ast

import pytest

from docs.tables import refusals, sentences
from docs.tables.documents import read_tables
from docs.tables.sentences import FOLDERS, read_sentences
from golden.reasons import Kind, limit
from host.lower.refuse import NoPassesError
from host.lower.registry import check_passes

#: Errors that say something else than that a call is refused: a name that is none.
OTHERS = {"AttributeError"}
each   = pytest.mark.parametrize("folder", FOLDERS)


@each
def test_every_sentence_has_a_reason(folder):
    missing = {f"{sentence.path}: {sentence.pattern}" for sentence in read_sentences(folder)
               if sentence.reason is None}

    assert not missing, f"give a reason in {folder}/reasons.py"


@each
def test_every_reason_has_a_sentence(folder):
    said = {sentence.pattern for sentence in read_sentences(folder)}

    assert not set(FOLDERS[folder]) - said, f"nothing says these of {folder}/reasons.py any more"


@each
def test_reasons_follow_because(folder):
    for reason in FOLDERS[folder].values():
        first = reason.text.split()[0]
        assert first.islower() or first.isupper() or first.isdigit(), reason.text
        assert not reason.text.endswith(".")
        assert isinstance(reason.kind, Kind)


def raised_names(folder):
    """Names of the errors that the files of a folder make where they raise."""
    for path in sentences._files(folder):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                yield ast.unparse(node.exc.func)


def test_no_other_errors_refuse():
    names = {name for folder in FOLDERS for name in raised_names(folder)}

    assert {name for name in names if name[0].isupper()} <= sentences._ERRORS | OTHERS
    # What makes an error elsewhere, where its sentence is, or the same one with a name in front.
    assert {name for name in names if name[0].islower()} <= {"run_error", "self.refusal",
                                                             "type(error)"}


def test_no_file_is_read_twice():
    files = [path for folder in FOLDERS for path in sentences._files(folder)]

    assert len(files) == len(set(files)) > 100


def test_a_sentence_without_a_reason_is_noticed(monkeypatch):
    pattern = "There are no passes for …, only for …"
    table   = {key: value for key, value in FOLDERS["host/lower"].items() if key != pattern}
    before  = set(refusals.refusals())
    monkeypatch.setitem(FOLDERS, "host/lower", table)

    assert pattern in {sentence.pattern for sentence in read_sentences("host/lower")
                       if sentence.reason is None}
    [row] = set(refusals.refusals()) - before
    assert row.startswith(f"| all kernels, all libraries | {pattern} | **no reason given** |")
    with pytest.raises(AssertionError, match=r"host/lower/reasons\.py"):
        test_every_sentence_has_a_reason("host/lower")


def test_a_reason_without_a_sentence_is_noticed(monkeypatch):
    monkeypatch.setitem(FOLDERS, "host/plan", FOLDERS["host/plan"] | {"Never said": limit("x")})

    with pytest.raises(AssertionError, match=r"host/plan/reasons\.py"):
        test_every_reason_has_a_sentence("host/plan")


def test_sentences_are_those_that_are_said():
    class Unknown:
        pass

    with pytest.raises(NoPassesError) as caught:
        check_passes(Unknown())
    start, between, _ = "There are no passes for …, only for …".split("…")

    assert str(caught.value).startswith(f"{start}Unknown{between}")


def test_all_of_them_are_in_the_documents():
    shown = "".join(line for name in ("refusals", "models", "illegal", "contracts")
                    for line in read_tables()[name])

    for folder in FOLDERS:
        for sentence in read_sentences(folder):
            assert sentence.text in shown, sentence


@pytest.mark.parametrize(("source", "pattern"), [
    ('raise ValueError("It is " f"{x} bits")', "It is … bits"),
    ('raise refuse.NoPassesError("A" + f"{f(x)}" + "B" + (more if x else ""))', "A…B…"),
    ('def error(x):\n    return TypeError(f"{x:g} {x!r}")', "… …"),
    ('Condition(UNSUPPORTED, f"Not {x}", get, ok)', "Not …")])
def test_sentences_of_every_form_are_read(source, pattern):
    [text] = sentences._texts(ast.parse(source))

    assert sentences._join(text, lambda value: "…") == pattern


@pytest.mark.parametrize("source", [
    "raise", "raise self._error", "raise ValueError", "isinstance(x, ValueError)",
    'Condition(CFG, "A rule", get, ok)', 'raise DeviceError("Not a refusal of a call")'])
def test_what_is_no_sentence_is_left_out(source):
    assert list(sentences._texts(ast.parse(source))) == []
