# SPDX-License-Identifier: Apache-2.0
"""The site of the documents builds without a warning and without network."""

import os
import re
import subprocess
import sys

import pytest

from docs.tables.documents import ROOT

pytestmark = pytest.mark.long
NOWHERE    = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder of the built site, made with a proxy that answers nothing."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", folder], cwd=ROOT,
        env=os.environ | {"http_proxy": NOWHERE, "https_proxy": NOWHERE}, capture_output=True,
        text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site):
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").is_file()


@pytest.mark.parametrize(("page", "name"), [
    ("xymac", "run_layer"), ("golden", "mli2"), ("device", "open_device"), ("xymac", "Adapter"),
    ("core", "CoreConfig")])
def test_the_reference_has_names(page, name, site):
    assert name in (site / f"reference/{page}.html").read_text(encoding="utf-8")


def test_columns_of_numbers_are_marked(site):
    """The style sheet aligns them; a column with words keeps its side."""
    page = (site / "figures.html").read_text(encoding="utf-8")
    row  = next(row for row in page.split("<tr")
                if "conv 3x3, pad 1, 32x32x16 to 16, fx8<" in row)
    kinds = ["number" in kind for kind in re.findall(r"<td([^>]*)>", row)]
    assert kinds == [False, True, True, True, True, True, True]
    assert "_static/site.css" in page
    assert ".number" in (site / "_static/site.css").read_text(encoding="utf-8")


def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"(?:https?:)?//", text), page
