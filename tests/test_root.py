"""The root of the repository and its folders hold what they should, and no more."""

import subprocess
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath

import pytest

ROOT    = Path(__file__).parents[1]
TOP     = {".ci", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "boards",
           "docs", "golden", "hdl", "host", "pyproject.toml", "sim", "tests", "xymac.py"}
FILES   = 26  #: Python files of a folder at most.
FAMILY  = 3   #: Files of a folder at most that begin or end with the same word.


@pytest.fixture(scope="module")
def tracked():
    """Paths of the files in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone of the repository")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True,
                          check=True)
    paths = [PurePosixPath(name) for name in done.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).exists()]


@pytest.fixture(scope="module")
def folders(tracked):
    """Names of the Python files, without suffix and ``test_``, by folder."""
    names = defaultdict(list)
    for path in tracked:
        if path.suffix == ".py" and path.stem != "__init__":
            names[str(path.parent)].append(path.stem.removeprefix("test_"))
    return names


def test_the_root_holds_nothing_unknown(tracked):
    assert {path.parts[0] for path in tracked} <= TOP


def test_no_folder_is_a_hall(folders):
    assert {folder: len(names) for folder, names in folders.items() if len(names) > FILES} == {}


@pytest.mark.parametrize("end", [0, -1], ids=["first", "last"])
def test_no_names_are_a_folder_in_disguise(end, folders):
    families = {
        (folder, word): count for folder, names in folders.items()
        for word, count in Counter(name.split("_")[end] for name in names if "_" in name
                                   or end == 0).items() if count > FAMILY}

    assert families == {}
