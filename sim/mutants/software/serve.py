# SPDX-License-Identifier: Apache-2.0
"""Processes that fork for each mutant, with collected tests or fresh.

Requests and answers are JSON lines. A request's child process ends at the first failure, at the
processor-time limit of a test, or after its last test.
"""

import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from pathlib import Path

from .session import Failures, run_item, run_pytest
from .sites import mutated
from .swap import Ran, clear_caches, find_caches, find_functions, load_with, swap

__all__ = ["Server", "open_fresh", "open_warm"]

_MEMORY   = 4 << 30  #: Bytes that a child may add.
_FACTOR   = 5        #: A test may take so many times its recorded time,
_GRACE    = 1.5      #: and so many seconds more.
_WALL     = 20       #: Wall time in processor times, on a busy computer.
_COLLECT  = 120.0    #: Seconds of processor time to import and to collect.


class Server:
    """The client end of a process that serves requests."""

    def __init__(self, serve):
        here, there = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            here.close()
            _guarded(lambda: serve(there))
        there.close()
        self.stream = here.makefile("rw", encoding="utf-8")
        self.socket = here

    def ask(self, **request):
        """A child's answer, a dict with ``outcome``; RuntimeError if the process has ended."""
        self.stream.write(json.dumps(request) + "\n")
        self.stream.flush()
        answer = self.stream.readline()
        if not answer:
            raise RuntimeError("a process that runs mutants has ended")
        return json.loads(answer)

    def close(self):
        """End the process."""
        self.socket.shutdown(socket.SHUT_RDWR)  # other processes have copies of this end
        self.stream.close()
        self.socket.close()
        os.waitpid(self.pid, 0)


def _guarded(work):
    """Run work in a forked process, and end it."""
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def open_fresh(project, modules):
    """A Server whose children import the mutated sources."""
    def serve(end):
        for name in sorted(modules):
            _preload(name)
        _answer_all(end, lambda request, note: _run_fresh(project, request, note))

    return Server(serve)


def open_warm(project, files):
    """A Server with collected test files, whose children swap code."""
    def serve(end):
        run_pytest(project, files, lambda session: _serve_warm(project, session, end))

    return Server(serve)


def _preload(name):
    try:
        __import__(name)
    except BaseException:  # a module that tests import in their own way
        return


def _serve_warm(project, session, end):
    import gc

    items, caches = {item.nodeid: item for item in session.items}, find_caches()
    functions = find_functions(project.root)
    failures  = Failures()
    session.config.pluginmanager.register(failures)
    gc.collect()
    gc.freeze()

    def run(request, note):
        ran = Ran()
        clear_caches(caches)
        if request.get("file"):
            path   = str(project.root / request["file"])
            source = project.text(request["file"])
            tree   = mutated(source, request["order"])
            if not swap(path, source, tree, functions.get(path, [])):
                return {"outcome": "not swapped"}
        return _run_items(items, request["tests"], failures, ran, note)

    _answer_all(end, run)


def _run_fresh(project, request, note):
    ran, failures, answer = Ran(), Failures(), {}
    if request.get("file"):
        source = project.text(request["file"])
        tree   = mutated(source, request["order"])
        load_with(project.root / request["file"], tree)

    def serve(session):
        items = {item.nodeid: item for item in session.items}
        answer.update(_run_items(items, request["tests"], failures, ran, note))

    _limit(_COLLECT)
    note("collection")
    try:
        run_pytest(project, request["files"], serve, [failures])
    except Exception as error:  # a mutant in a source that pytest itself loads
        return {"outcome": "killed", "by": "collection", "error": f"{error!r}"[:200]}
    if not answer:
        return {"outcome": "killed", "by": "collection", "error": "pytest has ended"}
    return answer


def _run_items(items, tests, failures, ran, note):
    """Run tests, pairs of name and seconds, to the first failure."""
    if failures.first is None:
        chosen = _found(items, tests)
        for index, (item, seconds) in enumerate(chosen):
            note(item.nodeid)
            _limit(_FACTOR * seconds + _GRACE)
            run_item(item, chosen[index + 1][0] if index + 1 < len(chosen) else None)
            if failures.first is not None:
                break
    if failures.first is not None:
        name, error = failures.first
        return {"outcome": "killed", "by": name, "error": error}
    return {"outcome": "survived" if ran.value else "not covered"}


def _found(items, tests):
    """Collected tests and their seconds; if cases are renamed, all cases of the function."""
    names  = {name for name, _ in tests}
    chosen = {name: (items[name], seconds) for name, seconds in tests if name in items}
    for name, seconds in tests:
        if name not in items:
            function = name.partition("[")[0]
            chosen.update((other, (item, seconds)) for other, item in items.items()
                          if other.partition("[")[0] == function and other not in names)
    return list(chosen.values())


def _limit(seconds):
    """End this process by a signal after ``seconds`` of further processor time."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _answer_all(end, run):
    """Answer requests, each in a child, until the other end closes."""
    stream = end.makefile("rw", encoding="utf-8")
    for line in stream:
        stream.write(json.dumps(_in_child(json.loads(line), run)) + "\n")
        stream.flush()


def _in_child(request, run):
    """A forked child's answer to a request."""
    begin, (reads, writes) = time.monotonic(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        _guarded(lambda: _child(request, run, writes))
    os.close(writes)
    wall = _COLLECT + _WALL * sum(_FACTOR * seconds for _, seconds in request["tests"])
    text, late = _read_all(reads, begin + wall)
    try:
        os.killpg(pid, signal.SIGKILL)  # and processes that it has left
    except ProcessLookupError:
        pass
    _, status = os.waitpid(pid, 0)
    os.close(reads)
    return _judge(text, status, late) | {"seconds": round(time.monotonic() - begin, 3)}


def _child(request, run, writes):
    os.setpgid(0, 0)
    size = _size_here()
    if size:
        resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, size + _MEMORY))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(nowhere, each)

    def note(text):
        os.write(writes, (json.dumps({"runs": text}) + "\n").encode())

    answer = run(request, note)
    os.write(writes, (json.dumps(answer) + "\n").encode())


def _size_here():
    """This process's address space, bytes; 0 if the system does not report it."""
    path = Path("/proc/self/statm")
    return int(path.read_text().split()[0]) * resource.getpagesize() if path.exists() else 0


def _read_all(reads, end):
    """(whole output of a child, whether it exceeded its time)."""
    parts = []
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([reads], [], [], left)[0]:
            return b"".join(parts).decode(), True
        part = os.read(reads, 1 << 16)
        if not part:
            return b"".join(parts).decode(), False
        parts.append(part)
        if b'{"outcome"' in part and part.endswith(b"\n"):
            return b"".join(parts).decode(), False


def _judge(text, status, late):
    """Answer from a child's output and exit status."""
    lines = [json.loads(line) for line in text.splitlines()]
    if lines and "outcome" in lines[-1]:
        return lines[-1]
    by = lines[-1]["runs"] if lines else ""
    if late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
        return {"outcome": "timeout", "by": by}
    return {"outcome": "killed", "by": by, "error": f"the process ended with status {status}"}
