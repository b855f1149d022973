# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: each adapter task is a test; ``xymac.pytest_plugin`` registers it."""

from __future__ import annotations

import io
import shlex
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file
from xymac.host.files.origin import commit_of, host_name

from .attempt import attempt, check_waves
from .device.adapter import load_adapter
from .hours import go_on
from .report.outcome import Outcome
from .report.page import page_of
from .report.report import Report, report_table, summary_lines
from .stimuli.recorded import SHIPPED
from .stimuli.tasks import list_tasks

if TYPE_CHECKING:
    from collections.abc import Generator

    from xymac.host.kit.stimuli.tasks import Task

__all__ = ["AdapterFile", "Kit", "TaskItem"]

_WIDTH = 110  #: Table width in columns if the output is not a terminal.


class _TaskFailure(Exception):
    """A failed task; its text is the complete message."""


class AdapterFile(pytest.File):
    """The adapter's file, whose tests the session adds to its own."""

    def collect(self) -> list[pytest.Item]:
        """Nothing: the tests are there already."""
        return []


class TaskItem(pytest.Item):
    """The test for a Task."""

    def __init__(self, *, kit: Kit, task: Task, **others: Any) -> None:
        super().__init__(**others)
        self.kit, self.task = kit, task
        self.outcome: Outcome | None = None

    def runtest(self) -> None:
        """Run the task on the device, and fail with a description of the differences."""
        adapter = self.kit.adapter
        try:
            first = attempt(self.path, adapter, self.task, self.kit.options["waves"])
            self.outcome = self._go_on(first)
        except InputError as error:
            support = self.task.support
            self.outcome = Outcome(self.task.name, support.operation, support.dialect,
                                   support.type, self.task.source, len(self.task.cases),
                                   failed=len(self.task.cases), failures=[str(error)])
        if not self.outcome.passed:
            raise _TaskFailure("\n".join(self.outcome.lines))
        if not self.outcome.is_tried:
            pytest.skip("the limits leave out every case")

    def _go_on(self, first):
        """The Outcome after further rounds of a drawn task, for its share of the hours."""
        options = self.kit.options
        if not options["hours"] or self.task.source != "drawn":
            return first
        return go_on(
            self.path, self.kit.adapter, self.task, first, cases=options["cases"],
            seed=options["seed"], seconds=3600 * options["hours"] / max(self.kit.drawn, 1),
            waves=options["waves"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Failure text: only sentences, unless it is a bug."""
        if isinstance(excinfo.value, _TaskFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Test location: the adapter's file."""
        return self.path, None, self.name


class Kit:
    """The plugin for a session, with the pytest hooks.

    pytest.UsageError if the adapter or an option is unusable.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.options: dict[str, Any] = {name: config.getoption(f"xymac_{name}") for name in (
            "dut", "cases", "seed", "hours", "report", "vectors", "network", "waves")}
        self._outcomes  = {}
        self._facts = [("date", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
                       ("host", host_name()), ("version", f"xymac {version('xymac')}")]
        self._command   = shlex.join(["pytest", *map(str, config.invocation_params.args)])
        self.drawn      = 0  #: Tasks with drawn cases, which share the hours.
        self._is_worker = hasattr(config, "workerinput")
        try:
            self.adapter = load_adapter(self.options["dut"])
            if self.options["network"] and not any(
                    support.operation == "network" for support in self.adapter.supports):
                raise InputError(f"--xymac-network has no effect: {self.adapter.title} does not "
                                 f"support the operation network")
            if self.options["report"] is not None:
                make_folder(self.options["report"])
                commit = commit_of(Path(self.options["dut"]).resolve().parent)
                self._facts.append(("commit of the adapter", commit or "no checkout of git"))
            if self.options["waves"] is not None:
                check_waves(self.adapter, self.options["waves"])
        except InputError as error:
            raise pytest.UsageError(str(error)) from error

    @pytest.hookimpl(tryfirst=True)  # before tests are selected by their names
    def pytest_collection_modifyitems(self, session: pytest.Session,
                                      items: list[pytest.Item]) -> None:
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
            report=pytest.CollectReport(file.nodeid, "passed", None, [*ours]))

    def pytest_report_header(self) -> str:
        """A line on the device."""
        return f"xymac: {self.adapter.title}, seed {self.options['seed']}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item,
                                  call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Attach the outcome to the report, which can travel between processes."""
        report = yield
        if call.when == "call" and isinstance(item, TaskItem) and item.outcome is not None:
            report.xymac_outcome = item.outcome.as_json()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome."""
        if hasattr(report, "xymac_outcome"):
            self._outcomes[report.nodeid] = Outcome(**report.xymac_outcome)

    @property
    def report(self) -> Report:
        """The Report on all outcomes so far."""
        return Report(self.adapter.title, self.options["seed"], tuple(self._outcomes.values()))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
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
        for name, text in (("report.json", report.as_json()),
                           ("report.html", page_of(report, self._facts, self._command))):
            write_file(folder / name, text)
            yield folder / name


def _render(table):
    """A rich table as text."""
    text = io.StringIO()
    Console(file=text, width=_WIDTH, emoji=False).print(table)
    return text.getvalue().rstrip("\n")
