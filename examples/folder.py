# SPDX-License-Identifier: Apache-2.0
"""The folder for the files that an example writes."""

import argparse
from pathlib import Path

FOLDER = Path(__file__).parent / "files"


def read_folder(about):
    """The folder from ``-o DIR`` on the command line, made if missing; ``about`` is the help."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=FOLDER,
                        help="folder of the files (default: %(default)s)")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    return folder
