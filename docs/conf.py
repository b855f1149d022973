# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration: this folder's pages and the API reference, built without network."""

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
