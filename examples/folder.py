# SPDX-License-Identifier: Apache-2.0
"""An example's output folder, and the sentence for a missing package."""

import argparse
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "files"

#: What pip installs for the examples, as in docs/tutorial.md.
INSTALL = {
    "convert-keras": "tensorflow-cpu==2.21.0 keras==3.15.1 scikit-learn==1.9.1 pillow",
    "convert-torch": "--extra-index-url https://download.pytorch.org/whl/cpu torch==2.13.0+cpu "
                     "litert-torch==0.10.0 scikit-learn==1.9.1"}
_PACKAGES = {"sklearn": "scikit-learn", "PIL": "pillow", "tensorflow": "tensorflow-cpu",
             "litert_torch": "litert-torch", "ai_edge_quantizer": "ai-edge-quantizer"}


def read_folder(about):
    """The folder from ``-o DIR`` on the command line, made if missing; ``about`` is the help."""
    parser = _parser(about)
    folder = parser.parse_args().output
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"Cannot make the folder {folder}: {error.strerror}")
    return folder


def _parser(about):
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=FOLDER,
                        help="folder of the files (default: %(default)s)")
    return parser


def stop_without(error, about, extra):
    """End the program with a sentence for the ModuleNotFoundError ``error``; ``extra`` is a key of
    ``INSTALL``, and ``about`` the help, which ``-h`` prints.
    """
    _parser(about).parse_args()
    name = error.name.partition(".")[0]
    sys.exit(f"{Path(sys.argv[0]).name}: the package {_PACKAGES.get(name, name)} is not installed "
             f"in {sys.prefix}: {sys.executable} -m pip install {INSTALL[extra]}")
