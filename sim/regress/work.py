# SPDX-License-Identifier: Apache-2.0
"""Run a piece in a separate process; the worker function."""

import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Timer

from xymac.host.cluster import ROOT, place
from xymac.sim.signoff.evidence import digest_places
from xymac.sim.signoff.reports import read_report

from .counted import read_counted
from .result import GOOD, Result, key_of

__all__ = ["run_piece"]

_LINES   = 60        #: Output lines kept of a failed piece.
_LONGEST = 4 * 3600  #: Time limit of a piece, s.
_NONE    = 5         #: pytest exit code if no test was selected.
#: A shell command that kills the process group of its first argument when its input ends.
_ENDS    = 'read -r line; kill -s KILL -- "-$1"'


def run_piece(piece, seed, environment, watch=lambda process: None):
    """Run a Piece with a seed to its end; returns its Result.

    ``environment`` describes this process. ``watch`` is called with the process after its start.
    """
    begin, places = time.monotonic(), digest_places(piece.places)
    with tempfile.TemporaryDirectory(prefix="xymac-") as folder:
        report = Path(folder) / "report"
        option = "--json" if piece.words[:2] == ("xymac", "check") else "--junit-xml"
        extra  = [] if piece.words[:2] == ("xymac", "fit") else [option, str(report)]
        code, output = _run([*piece.process(seed), *extra], Path(folder) / "output", watch)
        counts, reasons = read_report(report)
        counted = read_counted(report)
    outcome = _outcome(code, counts)
    if outcome in GOOD and extra:
        output = "\n".join(f"skipped: {reason}" for reason in reasons)
    return Result(
        key=key_of(piece, seed, environment), kind=piece.kind, name=piece.name, seed=seed,
        command=piece.shown(seed), outcome=outcome, **counts, counted=counted,
        places=places if places == digest_places(piece.places) else {},
        seconds=round(time.monotonic() - begin, 2), where=place(), output=output)


def _outcome(code, counts):
    """A process's outcome from its exit code and its counts."""
    skips = counts["skipped"] > 0 and not counts["passed"] + counts["failed"]
    if code == 0 or (skips and code == _NONE):
        return "skipped" if skips else "passed"
    return "failed"


def _run(words, path, watch):
    """Run a command; returns its exit code and its last output lines."""
    environment = os.environ | {"COLUMNS": "160"}
    with open(path, "w+", encoding="utf-8", errors="replace") as output:
        with subprocess.Popen(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                              stdout=output, stderr=subprocess.STDOUT,
                              start_new_session=True) as process, _guard(process.pid):
            watch(process)
            code, remark = _wait(process)
        output.seek(0)
        lines = output.read().splitlines()[-_LINES:]
    return code, "\n".join([*lines, *remark])


@contextmanager
def _guard(group):
    """Process that kills the process group ``group`` as soon as this process dies.

    It waits at a pipe, which the kernel closes when this process ends.
    """
    with subprocess.Popen(["/bin/sh", "-c", _ENDS, "guard", str(group)], stdin=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, start_new_session=True) as guard:
        try:
            yield
        finally:
            guard.kill()
            with suppress(ProcessLookupError):  # the group has already ended
                os.killpg(group, signal.SIGKILL)


def _wait(process):
    """A process's exit code, and remarks on how it ended, a list of str."""
    late = Event()

    def end():
        late.set()  # before ``wait`` returns
        process.kill()

    # ``wait`` with a timeout would poll.
    clock = Timer(_LONGEST, end)
    clock.start()
    code = process.wait()
    clock.cancel()
    if late.is_set():
        return code, [f"ended because it took more than {_LONGEST} seconds"]
    return code, [f"ended by signal {-code}"] if code < 0 else []
