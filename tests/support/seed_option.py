# SPDX-License-Identifier: Apache-2.0
"""``pytest --seed N`` and ``pytest --thorough``: a plugin."""

from argparse import ArgumentTypeError

import pytest

from .seed import SEED


def pytest_addoption(parser):
    parser.addoption("--seed", type=whole_number, default=0, metavar="N",
                     help="of all random tests (default: 0, the same stimuli every time)")
    parser.addoption("--thorough", action="store_true", help="all examples of random tests")


def whole_number(text):
    """An int from 0 on, of an option."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a whole number from 0 on, not {text!r}")
    return int(text)


@pytest.hookimpl(tryfirst=True)  # before the plugin of hypothesis takes its seed
def pytest_configure(config):
    SEED.thorough = config.getoption("--thorough")
    seed = config.getoption("--seed")
    SEED.use(seed)
    if seed:
        config.option.hypothesis_seed = str(seed)


def pytest_report_header(config):
    share = "all examples" if SEED.thorough else "a part of the examples"
    return f"seed of random tests: {SEED.value}, {share}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        options = f"--seed {SEED.value}{' --thorough' * SEED.thorough}"
        report.sections.append(("seed", f"pytest {options} '{item.nodeid}'"))
    return report
