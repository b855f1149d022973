# SPDX-License-Identifier: Apache-2.0
"""What pytest says to a user who starts it in a wrong place: a sentence, and no traceback."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Files and names of tests that the page for contributors prints.
PRINTED = re.findall(r'FILE=(\S+) PYTEST_ARGS="-k (\w+)',
                     (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def start(code, *arguments):
    """Exit code and output of pytest in a new process that first runs ``code``."""
    code += "\nimport sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "-p", "no:cacheprovider", *arguments],
                          cwd=ROOT, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_python_without_the_packages():
    code, said = start("import sys; sys.modules['amaranth'] = None",
                       "tests/rtl/timing/test_hold.py")

    assert code == 4
    assert ("The tests need amaranth, which is not installed here: `make test FILE=tests/...` "
            "installs all they need, and runs a file of them") in said
    assert "Traceback" not in said


def test_a_file_that_lies_elsewhere():
    code, said = start("", "tests/rtl/test_hold.py")

    assert code == 4
    assert said == ("ERROR: There is no file tests/rtl/test_hold.py; of this name there is "
                    "tests/rtl/timing/test_hold.py\n\n")


def test_unused_components_do_not_change_the_exit_code():
    """Pytest reports them behind the last test, without the filters of tests."""
    code, said = start("", "tests/hdl/test_blocks.py", "-q", "-k", "lookup or table")

    assert code == 0, said
    assert "Traceback" not in said


@pytest.mark.parametrize(("file", "name"), dict.fromkeys(PRINTED))
def test_printed_names_select_tests(file, name):
    code, said = start("", file, "-k", name, "--collect-only", "-q")

    assert code == 0, said
