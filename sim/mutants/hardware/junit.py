# SPDX-License-Identifier: Apache-2.0
"""Verdicts as JUnit XML, for `xymac regress`."""

from xml.etree import ElementTree

__all__ = ["write_junit"]


def write_junit(path, mutants, reasons):
    """Write Mutants as tests into a file.

    ``reasons`` maps survivor names to the equivalence reason, or to None: an open survivor, which
    fails.
    """
    failed = [mutant for mutant in mutants if reasons.get(mutant.name, "") is None]
    suite  = ElementTree.Element("testsuite", name="mutants", tests=str(len(mutants)), errors="0",
                                 skipped="0", failures=str(len(failed)))
    for mutant in mutants:
        case = ElementTree.SubElement(suite, "testcase", classname=mutant.file, name=mutant.name)
        if mutant in failed:
            ElementTree.SubElement(case, "failure", message=f"no test fails: {mutant}")
    ElementTree.ElementTree(suite).write(path, encoding="unicode")
