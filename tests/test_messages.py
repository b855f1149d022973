"""Sentences of exceptions speak of what a user gave, not of how the core holds or does it."""

import ast
import re

from tests.test_docstrings import trees

SAID = ("host", "boards")
OURS = re.compile(r"\b(runs?|images?|parts?|stretch(es)?)\b", re.IGNORECASE)

#: What users themselves call so: the array of a file, and the option that names the file.
THEIRS = {"host/network/inputs/images.py": "images",
          "host/cli/rom.py": "images",
          #: As a verb: a case of a file runs, or does not.
          "host/vectors/check.py": "run"}


def texts(tree):
    """The text of every exception that is made in a file, and its line."""
    for node in ast.walk(tree):
        name = getattr(node, "func", None)
        name = getattr(name, "id", getattr(name, "attr", ""))
        if isinstance(node, ast.Call) and name.endswith("Error"):
            words = (each.value for argument in node.args for each in ast.walk(argument)
                     if isinstance(each, ast.Constant) and isinstance(each.value, str))
            yield node.lineno, "…".join(words)


def messages():
    """The texts of all files by their place."""
    return {(path.as_posix(), line): text for path, tree in trees().items()
            if path.parts[0] in SAID for line, text in texts(tree)}


def test_exceptions_speak_the_words_of_users():
    wrong = {place: text for place, text in messages().items()
             if set(map(str.lower, (match.group() for match in OURS.finditer(text))))
             - {THEIRS.get(place[0])}}

    assert not wrong


def test_messages_are_found():
    sentences = messages()

    assert len(sentences) > 100
    assert any("bytes of" in text for text in sentences.values())
    assert {path for path, _ in sentences} >= set(THEIRS)


def test_words_of_ours_are_found_in_a_message():
    tree = ast.parse('raise ValueError(f"{name} in " f"{count} runs")\nInputError("Parts of it")')

    assert [bool(OURS.search(text)) for _, text in texts(tree)] == [True, True]
