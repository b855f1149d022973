# SPDX-License-Identifier: Apache-2.0
"""Reports of pytest and ``xymac check``: counts, and reasons of skipped tests."""

import json
from xml.etree import ElementTree

__all__ = ["read_report"]


def read_report(report):
    """Passed, failed and skipped counts in a pytest or `xymac check` report (Path), a dict; and
    skip reasons, a list of str. Counts are zero without a report.
    """
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    if not report.exists():
        return counts, []
    text = report.read_text(encoding="utf-8")
    if text.startswith("{"):
        content = json.loads(text)
        return {name: content[name] for name in counts}, []
    root = ElementTree.fromstring(text)
    for suite in root.iter("testsuite"):
        failed  = int(suite.get("failures")) + int(suite.get("errors"))
        skipped = int(suite.get("skipped"))
        counts["failed"]  += failed
        counts["skipped"] += skipped
        counts["passed"]  += int(suite.get("tests")) - failed - skipped
    return counts, sorted({skip.get("message") for skip in root.iter("skipped")})
