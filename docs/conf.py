# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration: this folder's pages and the API reference, built without network."""

import re

from docutils import nodes

project    = "xymac"
html_title = "xymac"
html_theme = "furo"  # with fonts and scripts of its own
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns     = ["tables"]
html_copy_source     = False
html_show_copyright  = False
html_show_sphinx     = False
myst_heading_anchors = 4
autodoc_default_options = {"members": True}
autodoc_member_order    = "groupwise"
napoleon_google_docstring = False
napoleon_custom_sections  = [("Members", "params_style")]
napoleon_use_ivar  = True
napoleon_use_param = False  # types are words here, not names to link
html_static_path = ["static"]
html_css_files   = ["site.css"]

_NUMBER    = re.compile(r"[-+±]?\d[\d,.]*( ?%)?")
_NO_NUMBER = ("", "-", "none")  # in a column of numbers


def _mark_numbers(app, doctree):
    """Give every column that holds only numbers the class ``number``."""
    for group in doctree.findall(nodes.tgroup):
        rows = [row.children for row in group.findall(nodes.row)]
        for cells in zip(*rows, strict=False):
            texts = [cell.astext() for cell in cells[1:]]
            if any(map(_NUMBER.fullmatch, texts)) and all(
                    text in _NO_NUMBER or _NUMBER.fullmatch(text) for text in texts):
                for cell in cells:
                    cell["classes"].append("number")


def setup(app):
    """Sphinx extension of this file: runs on every page once it is read."""
    app.connect("doctree-read", _mark_numbers)
