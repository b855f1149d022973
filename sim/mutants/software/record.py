# SPDX-License-Identifier: Apache-2.0
"""Which lines each test runs, recorded once per test file and kept in the build folder.

A record holds while the test file and all sources run by its tests stay the same. Time is processor
time under the tracer, more than the test takes without it.
"""

import gzip
import json
import os
import sqlite3
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from .project import digest
from .session import run_pytest
from .swap import clear_caches, find_caches

__all__ = ["load_record", "record", "stale_files"]

_FORM    = 4          #: Of records; another form is recorded anew.
_SOURCES = "sources"  #: Code run during a source import.
_PARSED  = {}


def _path(project, file):
    return project.folder / "records" / f"{file.replace('/', '-')}.json.gz"


def load_record(project, file, share=0):
    """A test file's record, a dict; None if missing or stale.

    ``share`` is the requested processor time, s.
    """
    path = _path(project, file)
    if not path.is_file():
        return None
    key = path, path.stat().st_mtime_ns
    if key not in _PARSED:
        _PARSED[key] = json.loads(gzip.decompress(path.read_bytes()))
    found = _PARSED[key]
    current = found["form"] == _FORM and (found["whole"] or found["share"] >= share) and all(
        project.hash_of(each) == value for each, value in found["files"].items())
    return found if current else None


def stale_files(project, share=0):
    """Test files without a valid record, a list of str."""
    return [file for file in project.test_files if load_record(project, file, share) is None]


def record(project, files, share, say=lambda text: None):
    """Run test files in this process and record the lines each test runs. Call it in a fork.

    ``share`` is the processor time per test file, s: every function's first case runs first, then
    every second case, and later tests are left out.
    """
    import coverage

    os.environ["COVERAGE_CORE"] = "ctrace"
    with tempfile.TemporaryDirectory() as folder:
        tool = coverage.Coverage(
            data_file=f"{folder}/data", config_file=False, messages=False, include=[
                f"{project.root}/{place}" + ("" if place.endswith(".py") else "/*")
                for place in (*project.packages, "tests/support")])
        tool.start()
        recorder = _Recorder(project, tool, f"{folder}/data", share, say)
        run_pytest(project, files, recorder.serve, [recorder])
        tool.stop()


class _Recorder:
    """A pytest plugin: a coverage context per test, per import and per shared fixture."""

    def __init__(self, project, tool, data, share, say):
        self.project, self.tool, self.data, self.share, self.say = project, tool, data, share, say
        self.context = _SOURCES
        self.reads   = set()   # contexts that read vectors
        self.fixtures = {}     # test -> contexts of fixtures that it shares
        self.failed  = set()
        self.hashes  = {}      # of files, as they were imported
        self.tests   = {*project.test_files}
        self.tool.switch_context(_SOURCES)
        self._watch_imports()
        vectors = f"{project.root}/{project.vectors}/"
        sys.addaudithook(lambda event, arguments: self._opened(vectors, event, arguments))

    def _opened(self, vectors, event, arguments):
        if event == "open" and str(arguments[0]).startswith(vectors):
            self.reads.add(self.context)

    @contextmanager
    def within(self, context):
        """Note the lines run under a context."""
        before, self.context = self.context, context
        self.tool.switch_context(context)
        try:
            yield
        finally:
            self.context = before
            self.tool.switch_context(before)

    def _watch_imports(self):
        """Lines run during a source or support-module import belong to all tests."""
        from importlib.machinery import SourceFileLoader

        right, recorder = SourceFileLoader.exec_module, self

        def exec_module(self, module):
            file = recorder.project.name_of(self.path)
            if file is None or file in recorder.tests:
                return right(self, module)
            with recorder.within(_SOURCES):
                return right(self, module)

        SourceFileLoader.exec_module = exec_module

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector):
        return (yield from self._around(f"import {collector.nodeid.partition('::')[0]}"))

    def _around(self, context):
        with self.within(context):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            return (yield)
        return (yield from self._around(self._shared(fixturedef)))

    def _shared(self, fixturedef):
        return f"fixture {fixturedef.argname} {fixturedef.baseid}"

    def pytest_runtest_logreport(self, report):
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def serve(self, session):
        """Run all collected tests, and write each file's record after its last test."""
        from .session import run_item

        self.caches = find_caches()
        folders = (*self.project.packages, *self.project.tests, "tests/support")
        self.hashes = {path: self.project.hash_of(path) for place in folders
                       for path in self._python_files(place)}
        groups = {}
        for item in session.items:
            groups.setdefault(item.nodeid.partition("::")[0], []).append(item)
        for index, (file, items) in enumerate(groups.items()):
            seconds, items = {}, _in_breadth(items)
            for item, following in zip(items, [*items[1:], None], strict=True):
                if sum(seconds.values()) > self.share:
                    break
                clear_caches(self.caches)
                begin = time.process_time()
                with self.within(item.nodeid):
                    run_item(item, following)
                seconds[item.nodeid] = time.process_time() - begin
                self.fixtures[item.nodeid] = [
                    self._shared(each) for several in item._fixtureinfo.name2fixturedefs.values()
                    for each in several if each.scope != "function"]
            self._write(file, seconds, len(seconds) == len(items))
            self.say(f"recorded {index + 1} of {len(groups)} test files: {file}, {len(seconds)} of "
                     f"{len(items)} tests, {sum(seconds.values()):.1f} s")

    def _write(self, file, seconds, whole):
        """Write a file's record from the coverage contexts."""
        self.tool.get_data()
        masks = self._masks({_SOURCES, f"import {file}", *seconds,
                             *(each for name in seconds for each in self.fixtures[name])})
        shared, tests = masks.get(f"import {file}", {}), {}
        for name in seconds.keys() - self.failed:
            contexts = [name, *self.fixtures[name]]
            cover = {}
            for context in contexts:
                for source, mask in masks.get(context, {}).items():
                    cover[source] = cover.get(source, 0) | mask
            tests[name] = {"seconds": round(seconds[name], 3), "cover": cover, "vectors": any(
                context in self.reads for context in (*contexts, f"import {file}"))}
        sources = sorted({file, *shared, *(each for test in tests.values()
                                           for each in test["cover"])})
        _save(_path(self.project, file), {
            "form": _FORM, "whole": whole, "share": self.share,
            "files": {each: self.hashes[each] for each in sources},
            "modules": sorted({name for name, module in sys.modules.items()
                               if self._is_foreign(module)}),
            "sources": masks.get(_SOURCES, {}), "import": shared, "tests": tests})

    def _python_files(self, place):
        path = self.project.root / place
        return [each.relative_to(self.project.root).as_posix()
                for each in (path.rglob("*.py") if path.is_dir() else [path])]

    def _is_foreign(self, module):
        path = getattr(module, "__file__", None)
        return path is not None and (self.project.name_of(path) is None or "/.venv/" in path)

    def _masks(self, contexts):
        """Lines by context and file: bit N is line N."""
        with sqlite3.connect(f"file:{self._database()}?mode=ro", uri=True) as base:
            rows = base.execute("select context, path, numbits from line_bits join context on "
                                "context.id = context_id join file on file.id = file_id")
            found = {}
            for context, path, bits in rows:
                if context in contexts:
                    found.setdefault(context, {})[self.project.name_of(path)] = int.from_bytes(
                        bits, "little")
        base.close()
        return found

    def _database(self):
        return Path(self.data)


def _in_breadth(items):
    """A file's tests: every function's first case, then every second case, and so on."""
    counts, places = {}, {}
    for item in items:
        function = item.nodeid.partition("[")[0]
        counts[function] = places[item.nodeid] = counts.get(function, -1) + 1
    return sorted(items, key=lambda item: places[item.nodeid])


def _save(path, content):
    """Write a record; equal masks are written once."""
    masks = {}

    def packed(cover):
        return {source: masks.setdefault(mask, len(masks)) for source, mask in cover.items()}

    content = content | {
        "sources": packed(content["sources"]), "import": packed(content["import"]),
        "tests": {name: test | {"cover": packed(test["cover"])}
                  for name, test in content["tests"].items()}}
    content["masks"] = [f"{mask:x}" for mask in masks]
    content["id"] = digest(json.dumps(content, sort_keys=True).encode())
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_suffix(f".{os.getpid()}")
    own.write_bytes(gzip.compress(json.dumps(content).encode()))
    own.replace(path)
