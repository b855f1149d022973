# SPDX-License-Identifier: Apache-2.0
"""Builds are kept beside the sources, or in the cache of the user."""

from tests.support.modules import ROOT
from xymac.host.files import root


def test_a_checkout_keeps_its_builds():
    assert root.build_root() == ROOT / "build"


def test_installed_without_sources_builds_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(root, "__file__", str(tmp_path / "xymac" / "host" / "files" / "root.py"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    assert root.build_root() == tmp_path / "cache" / "xymac"
