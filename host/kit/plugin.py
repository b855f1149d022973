# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: each adapter task is a test; ``xymac.pytest_plugin`` registers it."""

import io
import shlex
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from xymac.host.errors import InputError
from xymac.host.files import write_file

from .attempt import attempt, check_waves
from .device.adapter import load_adapter
from .hours import go_on
from .report.outcome import Outcome
from .report.page import page_of
from .report.report import Report, report_table, summary_lines
from .stimuli.recorded import SHIPPED
from .stimuli.tasks import list_tasks

__all__ = ["AdapterFile", "Kit", "TaskItem"]

_WIDTH = 110  #: Table width in columns if the output is not a terminal.


class _TaskFailure(Exception):
    """A failed task; its text is the complete message."""


class AdapterFile(pytest.File):
    """The adapter's file, whose tests the session adds to its own."""

    def collect(self):
        """Nothing: the tests are there already."""
        return []


class TaskItem(pytest.Item):
    """The test for a Task."""

    def __init__(self, *, kit, task, **others):
        super().__init__(**others)
        self.kit, self.task, self.outcome = kit, task, None

    def runtest(self):
        """Run the task on the device, and fail with a description of the differences."""
        adapter = self.kit.adapter
        try:
            self.outcome = attempt(self.path, adapter, self.task, self.kit.options["waves"])
            self._go_on()
        except InputError as error:
            support = self.task.support
            self.outcome = Outcome(self.task.name, support.operation, support.dialect,
                                   support.type, self.task.source, len(self.task.cases),
                                   failed=len(self.task.cases), failures=[str(error)])
        if not self.outcome.passed:
            raise _TaskFailure("\n".join(self.outcome.lines))

    def _go_on(self):
        """Further rounds of a drawn task, for its share of the hours."""
        options = self.kit.options
        if options["hours"] and self.task.source == "drawn":
            self.outcome = go_on(
                self.path, self.kit.adapter, self.task, self.outcome, cases=options["cases"],
                seed=options["seed"], seconds=3600 * options["hours"] / max(self.kit.drawn, 1),
                waves=options["waves"])

    def repr_failure(self, excinfo, style=None):
        """Failure text: only sentences, unless it is a bug."""
        if isinstance(excinfo.value, _TaskFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        """Test location: the adapter's file."""
        return self.path, None, self.name


class Kit:
    """The plugin for a session, with the pytest hooks.

    pytest.UsageError if the adapter or an option is unusable.
    """

    def __init__(self, config):
        self.options = {name: config.getoption(f"xymac_{name}") for name in (
            "dut", "cases", "seed", "hours", "report", "vectors", "network", "waves")}
        self._outcomes  = {}
        self._facts = [("date", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
                       ("version", f"xymac {version('xymac')}"),
                       ("to repeat it", shlex.join(["pytest", *map(
                           str, config.invocation_params.args)]))]
        self.drawn      = 0  #: Tasks with drawn cases, which share the hours.
        self._is_worker = hasattr(config, "workerinput")
        try:
            self.adapter = load_adapter(self.options["dut"])
            if self.options["waves"] is not None:
                check_waves(self.adapter, self.options["waves"])
        except InputError as error:
            raise pytest.UsageError(str(error)) from error

    @pytest.hookimpl(tryfirst=True)  # before tests are selected by their names
    def pytest_collection_modifyitems(self, session, items):
        """Add the tests."""
        options = self.options
        file    = AdapterFile.from_parent(session, path=Path(options["dut"]).resolve())
        try:
            tasks = list_tasks(self.adapter, options["cases"], options["seed"],
                               options["vectors"] or SHIPPED, options["network"])
        except InputError as error:
            raise pytest.UsageError(str(error)) from error
        ours  = [TaskItem.from_parent(file, name=task.name.replace(" ", "-"), kit=self, task=task)
                 for task in tasks]
        items += ours
        self.drawn = sum(task.source == "drawn" for task in tasks)
        session.config.hook.pytest_collectreport(
            report=pytest.CollectReport(file.nodeid, "passed", None, ours))

    def pytest_report_header(self):
        """A line on the device."""
        return f"xymac: {self.adapter.title}, seed {self.options['seed']}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Attach the outcome to the report, which can travel between processes."""
        report = yield
        if call.when == "call" and getattr(item, "outcome", None) is not None:
            report.xymac_outcome = item.outcome.as_json()
        return report

    def pytest_runtest_logreport(self, report):
        """Keep the outcome."""
        if hasattr(report, "xymac_outcome"):
            self._outcomes[report.nodeid] = Outcome(**report.xymac_outcome)

    @property
    def report(self):
        """The Report on all outcomes so far."""
        return Report(self.adapter.title, self.options["seed"], tuple(self._outcomes.values()))

    def pytest_terminal_summary(self, terminalreporter):
        """Print the table and the summary sentences, and write the files."""
        report = self.report
        if self._is_worker or not report.outcomes:
            return
        terminalreporter.section("xymac")
        terminalreporter.write_line(_render(report_table(report)))
        for line in summary_lines(report):
            terminalreporter.write_line(line)
        if self.options["report"] is not None:
            for path in self._write(report, Path(self.options["report"])):
                terminalreporter.write_line(f"written: {path}")

    def _write(self, report, folder):
        """Write a Report's files to a folder; their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("report.json", report.as_json()),
                           ("report.html", page_of(report, self._facts))):
            write_file(folder / name, text)
            yield folder / name


def _render(table):
    """A rich table as text."""
    text = io.StringIO()
    Console(file=text, width=_WIDTH).print(table)
    return text.getvalue().rstrip("\n")
