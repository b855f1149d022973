# SPDX-License-Identifier: Apache-2.0
"""How a command ends that does not succeed: bad input, a bug, an interrupt, a full disk."""

import errno
import logging
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.foreign import write_distribution
from tests.support.processes import LATE, await_until, hear_interrupts, is_running
from xymac.host.cli.main import main
from xymac.host.errors import InputError, translate_refusals

ROOT   = Path(__file__).parents[3]
DIGITS = str(ROOT / "host/examples/data/digits_cnn.npz")
GOLDEN = ["run", DIGITS, "--backend", "golden"]


def fail_with(monkeypatch, error):
    """Let loading a network raise ``error``."""
    def load(path):
        raise error

    monkeypatch.setattr("xymac.host.cli.run.load_model", load)


@pytest.mark.parametrize("kind", [TypeError, ValueError, RuntimeError, KeyError, AssertionError])
def test_a_bug_is_said_to_be_one(kind, monkeypatch, capsys):
    fail_with(monkeypatch, kind("of ours"))

    assert main([*GOLDEN, "--limit", "1"]) == 70

    error = capsys.readouterr().err
    assert error.startswith("Traceback (most recent call last):\n")
    assert f"\n{kind.__name__}: " in error
    assert "xymac run: This is a bug of xymac and not of your input. Please report it" in error
    assert re.search(r"\n  xymac \d+\.\d+\.\d+, Python 3\.\d+\.\d+, \w+\n", error)
    assert error.endswith(f"\n  xymac run {DIGITS} --backend golden --limit 1\n")


def test_an_os_error_without_a_file_is_a_bug(monkeypatch, capsys):
    fail_with(monkeypatch, OSError(errno.EBADF, "Bad file descriptor"))

    assert main(GOLDEN) == 70
    assert "This is a bug" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "sentence"), [
    (InputError("This\nand that"), "This and that"),
    (FileNotFoundError(errno.ENOENT, "No such file or directory", "gone/x"),
     "gone/x: No such file or directory"),
    (OSError(errno.ENOSPC, "No space left on device", "full/x"), "full/x: No space left on device"),
    (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    (MemoryError(), "The command needs more memory than the system gives"),
    (MemoryError("Unable to allocate 56.0 GiB"),
     "The command needs more memory than the system gives: Unable to allocate 56.0 GiB")])
def test_bad_input_is_one_sentence(error, sentence, monkeypatch, capsys):
    fail_with(monkeypatch, error)

    assert main(GOLDEN) == 2
    assert capsys.readouterr().err == f"xymac run: {sentence}\n"


def test_an_interrupt_is_one_line(monkeypatch, capsys):
    fail_with(monkeypatch, KeyboardInterrupt())

    assert main(GOLDEN) == 130
    assert capsys.readouterr().err == "xymac: interrupted\n"


def test_an_interrupt_that_became_another_error(monkeypatch, capsys):
    """As in the import of a module in C."""
    error = ImportError("numpy failed to import")
    error.__cause__ = KeyboardInterrupt()
    fail_with(monkeypatch, error)

    assert main(GOLDEN) == 130
    assert capsys.readouterr().err == "xymac: interrupted\n"


INTERRUPT = """
import os, signal
from xymac.host.cli.command import Command

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()

{now}
COMMAND = Command("stop", "xymac stop", {arguments}, {execute})
"""


@pytest.mark.parametrize("place", ["import", "arguments", "execute"])
def test_an_interrupt_at_any_time(place, tmp_path):
    nothing = "lambda *_: None"
    write_distribution(tmp_path, "stopping", INTERRUPT.format(
        now="interrupt()" if place == "import" else "",
        arguments="interrupt" if place == "arguments" else nothing,
        execute="interrupt" if place == "execute" else nothing),
        {"xymac.commands": {"stop": "stopping:COMMAND"}})

    done = run_cli("stop", path=tmp_path)

    assert (done.returncode, done.stderr) == (130, "xymac: interrupted\n")


END = """
import subprocess, sys, time
from xymac.host.cli.command import Command

def execute(*_):
    subprocess.run([sys.executable, "-c",
                    "import os, time; print(os.getpid(), flush=True); time.sleep(600)"])

COMMAND = Command("stop", "xymac stop", lambda *_: None, execute)
"""


@pytest.mark.parametrize("background", [False, True], ids=["foreground", "background"])
def test_a_request_to_end_reaches_every_process(background, tmp_path):
    write_distribution(tmp_path, "ending", END, {"xymac.commands": {"stop": "ending:COMMAND"}})
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    handler     = signal.SIG_IGN if background else signal.SIG_DFL
    with subprocess.Popen([sys.executable, "-m", "xymac.host.cli", "stop"], env=environment,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, handler), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        child = int(process.stdout.readline())
        process.terminate()
        try:
            _, error = process.communicate(timeout=LATE)
        except subprocess.TimeoutExpired:
            os.kill(child, signal.SIGKILL)
            raise

    assert (process.returncode, error) == (130, "xymac: interrupted\n")
    await_until(lambda: not is_running(child))


def run_cli(*arguments, path=ROOT, **options):
    """Run the command line as a program."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(ROOT)])}
    return subprocess.run([sys.executable, "-m", "xymac.host.cli", *arguments], text=True,
                          check=False, env=environment, timeout=300, preexec_fn=hear_interrupts,
                          **{"stderr": subprocess.PIPE} | options)


def test_an_interrupt_while_modules_are_loaded():
    with subprocess.Popen([sys.executable, "-m", "xymac.host.cli", *GOLDEN], cwd=ROOT, text=True,
                          preexec_fn=hear_interrupts, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        maps = Path(f"/proc/{process.pid}/maps")
        while process.poll() is None and "_multiarray_umath" not in maps.read_text():
            pass
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()

    assert (process.returncode, error) == (130, "xymac: interrupted\n")


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["ports"], GOLDEN])
def test_a_full_disk_behind_the_output(command):
    with open("/dev/full", "w") as full:
        done = run_cli(*command, stdout=full, cwd=ROOT)

    assert done.returncode == 2
    assert re.fullmatch(r"xymac( \w+)?: the output: No space left on device\n", done.stderr)


def test_a_reader_that_has_enough():
    done = subprocess.run(f"{sys.executable} -m xymac.host.cli run {DIGITS} --backend golden"
                          " | head -n 1", shell=True, capture_output=True, text=True,
                          check=False, cwd=ROOT)

    assert done.stdout.startswith("digits_cnn: 5 layers")
    assert done.stderr == ""


def test_a_full_disk_behind_a_file(capsys):
    code = main(["check", str(ROOT / "tests/vectors"), "--match", "*softmax*", "--limit", "1",
                 "--json", "/dev/full"])

    assert code == 2
    assert capsys.readouterr().err == (
        "xymac check: Cannot write /dev/full: No space left on device\n")
    assert Path("/dev/full").is_char_device()


def test_messages_of_the_parts_are_shown(monkeypatch, capsys):
    def load(path):
        logging.getLogger("xymac.build").info("Compiling the model of core %s", "base")
        logging.getLogger("xymac.build").warning("Slow")
        logging.getLogger("another").info("not ours")
        raise InputError("stop")

    monkeypatch.setattr("xymac.host.cli.run.load_model", load)
    handlers = [*logging.getLogger("xymac").handlers]

    assert main(GOLDEN) == 2
    assert capsys.readouterr().err == (
        "Compiling the model of core base\nxymac: warning: Slow\nxymac run: stop\n")
    assert logging.getLogger("xymac").handlers == handlers


def test_refusals_are_translated():
    with pytest.raises(InputError, match=r"^layer 3: wrong$"):
        with translate_refusals("layer 3", ValueError):
            raise ValueError("wrong")


@pytest.mark.parametrize("error", [InputError("as it is"), TypeError("a bug")])
def test_other_errors_stay_as_they_are(error):
    with pytest.raises(type(error), match=f"^{error}$"):
        with translate_refusals("layer 3", ValueError):
            raise error


@pytest.mark.parametrize(("closed", "arguments", "code"), [
    (">&-", GOLDEN, 0), ("2>&-", ["run", "gone"], 2), ("<&- >&- 2>&-", ["--help"], 0)])
def test_closed_streams_are_no_bug(closed, arguments, code):
    words = shlex.join([sys.executable, "-m", "xymac.host.cli", *arguments])

    done = subprocess.run(["sh", "-c", f"{words} {closed}"], capture_output=True, text=True,
                          check=False)

    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
