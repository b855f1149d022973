# SPDX-License-Identifier: Apache-2.0
"""A run's figures and survivors: for a user, for `xymac regress`, and as evidence."""

from collections import Counter
from dataclasses import dataclass
from xml.etree import ElementTree

from .results import KILLED

__all__ = ["Summary", "summarise", "write_junit"]


@dataclass(frozen=True)
class Summary:
    """The outcome of a run, over all mutants.

    Parameters
    ----------
    results : list of Result
    equivalents : dict, reason by (file, function, mutation)
    wrong : list of str, wrong entries of equivalents
    """

    results:     list
    equivalents: dict
    wrong:       list

    def reason(self, result):
        """Why a survivor is equivalent, or None."""
        return self.equivalents.get((result.file, result.function, result.text))

    @property
    def survivors(self):
        """Results without a noticing test or an explaining entry."""
        return [result for result in self.results
                if not result.is_killed and self.reason(result) is None]

    @property
    def proven(self):
        """Results for equivalent mutants."""
        return [result for result in self.results
                if not result.is_killed and self.reason(result) is not None]

    @property
    def share(self):
        """Percentage noticed by tests, equivalent mutants apart."""
        killed = sum(result.is_killed for result in self.results)
        return 100 * killed / (killed + len(self.survivors)) if self.results else 100.0

    @property
    def figures(self):
        """Numbers by name, a dict."""
        outcomes = Counter(result.outcome for result in self.survivors)
        kinds    = Counter(result.outcome for result in self.results)
        return {"mutants": len(self.results), **{name: kinds[name] for name in KILLED},
                "equivalent": len(self.proven), "survived": outcomes["survived"],
                "not covered": outcomes["not covered"], "percent": round(self.share, 2)}

    @property
    def lines(self):
        """Every survivor by name, a list of str."""
        return [f"{result.name}: {result.outcome}: {result.function}: {result.text}"
                for result in self.survivors]


def summarise(results, equivalents, wrong):
    """Summarise Results."""
    return Summary(results, equivalents, wrong)


def write_junit(summary, path, least):
    """Write a run as JUnit XML: a survivor fails below ``least`` percent, and is skipped above."""
    good  = summary.share >= least
    rows  = [(result, "" if result.is_killed else summary.reason(result) or result.outcome)
             for result in summary.results]
    bad   = [] if good else summary.survivors
    names = {result.name for result in bad}
    suite = ElementTree.Element(
        "testsuite", name="mutants", tests=str(len(rows) + len(summary.wrong)), errors="0",
        failures=str(len(bad) + len(summary.wrong)),
        skipped=str(0 if not good else len(summary.survivors)))
    for result, remark in rows:
        case = ElementTree.SubElement(suite, "testcase", classname=result.file, name=result.name,
                                      time=f"{result.seconds:.2f}")
        if result.name in names:
            ElementTree.SubElement(case, "failure", message=f"{remark}: {result.text}")
        elif remark and summary.reason(result) is None:
            ElementTree.SubElement(case, "skipped", message=f"{remark}: {result.text}")
    for text in summary.wrong:
        case = ElementTree.SubElement(suite, "testcase", classname="equivalents", name=text)
        ElementTree.SubElement(case, "failure", message=text)
    path.write_text(ElementTree.tostring(suite, encoding="unicode"), encoding="utf-8")
