# SPDX-License-Identifier: Apache-2.0
"""Values within sentences of the documents are those of the code."""

import re

import pytest

from docs.tables import documents
from docs.tables.documents import read_values, replace_values
from docs.tables.values import read_sources


def test_values_are_fresh():
    sources = read_sources()

    assert {name for name, _ in read_values()} == {*sources}
    for name, text in read_values():
        assert text == sources[name], f"{name}: make docs"


@pytest.mark.parametrize("path", documents.DOCUMENTS, ids=lambda path: path.name)
def test_values_do_not_begin_a_line(path):
    """Such a line is a block of HTML in Markdown, and its text is not formatted."""
    assert not re.findall(r"^ {0,3}<!-- value.*", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A document with a value twice and another value, in place of all documents."""
    path = tmp_path / "page.md"
    path.write_text("A read takes <!-- value: read -->22<!-- / --> cycles,\n"
                    "<!-- value: read -->23<!-- / --> of <!-- value: all -->99<!-- / -->.\n")
    monkeypatch.setattr(documents, "DOCUMENTS", (path,))
    return path


def test_stale_values_are_written_again(page):
    assert replace_values({"read": "23", "all": "99"})

    assert page.read_text() == (
        "A read takes <!-- value: read -->23<!-- / --> cycles,\n"
        "<!-- value: read -->23<!-- / --> of <!-- value: all -->99<!-- / -->.\n")
    assert read_values() == [("read", "23"), ("read", "23"), ("all", "99")]
    assert not replace_values({"read": "23", "all": "99"})


def test_a_value_without_a_source_is_refused(page):
    with pytest.raises(ValueError, match=r"^The documents have values without a source: all$"):
        replace_values({"read": "23"})

    assert "22" in page.read_text()
