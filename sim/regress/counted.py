# SPDX-License-Identifier: Apache-2.0
"""Random stimuli counted by tests: in a piece, and over many pieces.

A test counts with the fixture ``counted``; pytest writes the number to its report.
"""

from collections import Counter
from xml.etree import ElementTree

__all__ = ["PREFIX", "read_counted", "sum_counted"]

PREFIX = "counted: "  #: Name prefix for properties that are counts.


def read_counted(report):
    """{name: number} from a piece's JUnit file ``report`` (Path); empty without a file, or for a
    JSON report.
    """
    text = report.read_text(encoding="utf-8") if report.exists() else "{"
    if text.startswith("{"):
        return {}
    counts = Counter()
    for each in ElementTree.fromstring(text).iter("property"):
        if each.get("name", "").startswith(PREFIX):
            counts[each.get("name").removeprefix(PREFIX)] += int(each.get("value"))
    return dict(sorted(counts.items()))


def sum_counted(results):
    """{name: number} over Results that passed."""
    counts = Counter()
    for result in results:
        if result.is_good:
            counts.update(result.counted)
    return dict(sorted(counts.items()))
