# SPDX-License-Identifier: Apache-2.0
"""Choose the tests for a mutant: tests of its lines, nearest and quickest first."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from .project import digest
from .record import load_record
from .sites import functions_of

__all__ = ["Cover", "Tests"]

_OVERHEAD = 0.005  #: Setup and teardown time per test, seconds.


@dataclass(frozen=True)
class Test:
    """A test: name, processor time under the tracer, file, and a hash over test code."""

    name:    str
    seconds: float
    file:    str
    version: str


@dataclass(frozen=True)
class Tests:
    """Tests for a mutant, in execution order.

    Parameters
    ----------
    warm : list of Test; the process has imported the function and swaps it
    fresh : list of Test; the process imports the changed module
    left : int, number of tests beyond the budget
    """

    warm:  list
    fresh: list
    left:  int

    @property
    def digest(self):
        """Short hash of the tests and their code."""
        return digest("\n".join(f"{test.name} {test.version}"
                                for test in (*self.warm, *self.fresh)).encode())


class Cover:
    """Records for all test files.

    Parameters
    ----------
    project : Project
    budget : float, test time per mutant, seconds
    vectors : bool, whether tests may read the vendors' vectors
    """

    def __init__(self, project, budget, vectors=False):
        self.project, self.budget = project, budget
        self.runs     = {}      # source -> [(Test, mask of its lines)]
        self.imports  = {}      # source -> {test file: mask of lines run by its import}
        self.sources  = {}      # source -> mask of lines run during source import
        self.modules  = set()   # foreign modules imported by tests
        self.files    = {}      # test file -> [Test]
        self._users   = None
        for file in project.test_files:
            self._add(file, vectors)

    def _add(self, file, vectors):
        record = load_record(self.project, file)
        if record is None:
            return
        masks = [int(mask, 16) for mask in record["masks"]]
        self.modules.update(record["modules"])
        for source, mask in record["sources"].items():
            self.sources[source] = self.sources.get(source, 0) | masks[mask]
        for source, mask in record["import"].items():
            self.imports.setdefault(source, {})[file] = masks[mask]
        version = digest(repr(sorted(each for each in record["files"].items()
                                     if each[0] not in self.project.sources)).encode())
        for name, each in record["tests"].items():
            if vectors or not each["vectors"]:
                test = Test(name, each["seconds"], file, version)
                self.files.setdefault(file, []).append(test)
                for source, mask in each["cover"].items():
                    self.runs.setdefault(source, []).append((test, masks[mask]))

    def select(self, mutant, first=()):
        """The Tests for a Mutant; tests named in ``first`` run before others."""
        if mutant.at_import:
            found = self._of_import(mutant)
            return self._cut(mutant, [], found, {*first, *self._direct_users(mutant)})
        mask  = _mask(mutant.lines)
        found = [test for test, lines in self.runs.get(mutant.file, ()) if lines & mask]
        bound = {file for file, lines in self.imports.get(mutant.file, {}).items() if lines & mask}
        if self.sources.get(mutant.file, 0) & mask:
            return self._cut(mutant, [], found or self._of_import(mutant), first)
        found += [test for file in bound.difference(test.file for test in found)
                  for test in self.files.get(file, ())]
        return self._cut(mutant, [test for test in found if test.file not in bound],
                         [test for test in found if test.file in bound], first)

    def _cut(self, mutant, warm, fresh, first):
        parts, spent, left = [], 0.0, 0
        for tests in (warm, fresh):
            tests = sorted(tests, key=lambda test: (
                test.name not in first,
                (test.seconds + _OVERHEAD) * _nearness(mutant.file, test.file), test.name))
            kept = []
            for test in tests:
                if spent + test.seconds <= self.budget or not (kept or (parts and parts[0])):
                    kept.append(test)
                    spent += test.seconds + _OVERHEAD
                else:
                    left += 1
            parts.append(kept)
        return Tests(*parts, left)

    def _of_import(self, mutant):
        """Tests with a statement's names, or of functions with these names.

        If there are none, all tests that run the statement's file.
        """
        names  = self._names_made_of(mutant.names)
        wanted = {file: mask for file, (functions, _) in self._users.items()
                  if (mask := _union(functions, names))}
        found  = {test.name: test for test in self._testing(names)}
        for source, mask in wanted.items():
            for test, lines in self.runs.get(source, ()):
                if lines & mask:
                    found[test.name] = test
        return list(found.values()) or [test for test, _ in self.runs.get(mutant.file, ())]

    def _testing(self, names):
        """Tests whose functions, or tables made in their files from ``names``, use these names."""
        for file, (functions, tops) in self._testers.items():
            here  = _closure(names, tops)
            users = {name for name, *_, used in functions if used & here}
            yield from (test for test in self.files.get(file, ())
                        if users and test.name.partition("::")[2].partition("[")[0] in users)

    def _direct_users(self, mutant):
        """Names of the tests with a statement's definitions in them, a set; these run first."""
        return {test.name for test in self._testing(set(mutant.names))}

    def _run_at_import(self, file, functions, names):
        """Names of a file's functions with these names in them, run during source import."""
        here = self.sources.get(file, 0)
        return {name for name, first, last, used in functions
                if name and used & names
                and here & _mask(range(first + 1, max(last, first + 1) + 1))}

    def _names_made_of(self, names):
        """``names`` and all names derived from them by top-level statements in any file, a set."""
        if self._users is None:
            support = [file for file in self.runs if file not in self.project.sources]
            self._users   = {file: _uses(self.project.text(file))
                             for file in (*self.project.sources, *support)}
            self._testers = {file: _uses(self.project.text(file)) for file in self.files}
        names, before = set(names), set()
        while names != before:
            before = set(names)
            for file, (functions, tops) in self._users.items():
                names.update(self._run_at_import(file, functions, names))
                names = _closure(names, tops)
        return names


def _closure(names, tops):
    """``names`` and all names derived from them by statements, (defined, used) pairs, in order."""
    names = set(names)
    for defined, used in tops:
        if used & names:
            names |= defined
    return names


def _union(functions, names):
    mask = 0
    for _, first, last, used in functions:
        if used & names:
            mask |= _mask(range(first + 1, max(last, first + 1) + 1))
    return mask


def _uses(source):
    """A source's functions, and (defined names, used names) of its top-level statements.

    A class is made of its bases; its fields are made of the names in its body, and make the class.
    """
    tops = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            tops.append(({node.name}, set().union(*map(_identifiers, node.bases))))
            tops += [(defined | {node.name}, used) for defined, used in map(_binding, node.body)]
        else:
            tops.append(_binding(node))
    return list(functions_of(source)), [top for top in tops if top[0] and top[1]]


def _binding(node):
    """(defined names, used names) of an assignment; empty sets for other statements."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or ast.unparse(node).startswith("__all__"):
        return set(), set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    defined = {each.id for target in targets for each in ast.walk(target)
               if isinstance(each, ast.Name)}
    return defined, (_identifiers(node.value) if node.value else set()) - defined


def _identifiers(tree):
    return {each.id if isinstance(each, ast.Name) else each.attr for each in ast.walk(tree)
            if isinstance(each, ast.Name | ast.Attribute)}


def _mask(lines):
    return (1 << lines.stop) - (1 << lines.start)


@cache
def _nearness(source, file):
    """Factor for a test file's time, smaller for a file near the source."""
    here, there = PurePosixPath(source), PurePosixPath(file)
    shared = 0
    for a, b in zip(here.parts[:-1], there.parts[1:-1], strict=False):
        if a != b:
            break
        shared += 1
    return 0.5 ** (shared + (here.stem in there.stem))
