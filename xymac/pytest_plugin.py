# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: it adds options, and loads the rest of the kit for ``--xymac-dut`` alone."""

from __future__ import annotations

from argparse import ArgumentTypeError
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def _whole(least):
    """Type for int options, at least ``least``."""
    def read_int(text):
        if not text.isdecimal():
            raise ArgumentTypeError(f"must be an int, at least {least}, not {text!r}")
        if int(text) < least:
            raise ArgumentTypeError(f"must be at least {least}, not {int(text)}")
        return int(text)
    return read_int


def _hours(text):
    """Type for number options above 0."""
    try:
        hours = float(text)
    except ValueError:
        raise ArgumentTypeError(f"invalid number: {text!r}") from None
    if not 0 < hours < float("inf"):
        raise ArgumentTypeError(f"must be above 0, not {text}")
    return hours


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's pytest options."""
    group = parser.getgroup("xymac", "xymac: verify an accelerator")
    group.addoption("--xymac-dut", metavar="FILE", help="adapter of the device, a file of Python")
    group.addoption("--xymac-cases", metavar="N", type=_whole(1), default=100,
                    help="cases drawn of every operation (default: 100)")
    group.addoption("--xymac-seed", metavar="N", type=_whole(0), default=0,
                    help="of the cases that are drawn (default: 0)")
    group.addoption("--xymac-hours", metavar="H", type=_hours,
                    help="go on with other seeds for so many hours, or until a case differs")
    group.addoption("--xymac-report", metavar="DIR",
                    help="write report.html and report.json to this folder")
    group.addoption("--xymac-waves", metavar="DIR",
                    help="keep waves of the first case that fails of every task in this folder")
    group.addoption("--xymac-vectors", metavar="DIR",
                    help="reference vectors in place of those that come with xymac")
    group.addoption("--xymac-network", metavar="FILE", action="append", default=[],
                    help="a network beside those that come with xymac; more than one is allowed")


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin itself if there is a device.

    pytest.UsageError for networks without a device.
    """
    if config.getoption("xymac_dut"):
        kit = import_module("xymac.host.kit.plugin").Kit(config)
        config.pluginmanager.register(kit, "xymac-kit")
    elif config.getoption("xymac_network"):
        raise import_module("pytest").UsageError(
            "--xymac-network needs --xymac-dut, an adapter with the operation network")
