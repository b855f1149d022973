# SPDX-License-Identifier: Apache-2.0
"""Paths of the shipped files, in commands that users copy."""

from pathlib import Path

import pytest

from xymac.host.examples import DATA, shown_path


@pytest.mark.parametrize("here", [DATA, DATA.parents[1]])
def test_a_command_finds_the_file(here, monkeypatch):
    monkeypatch.chdir(here)
    shown = Path(shown_path("digits_cnn.npz"))

    assert not shown.is_absolute()
    assert shown.exists()


def test_elsewhere_the_path_is_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert shown_path("digits_cnn.npz") == str(DATA / "digits_cnn.npz")
