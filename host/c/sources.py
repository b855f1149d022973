# SPDX-License-Identifier: Apache-2.0
"""C sources in the package: templates, and files for users, unchanged."""

import re
from pathlib import Path

__all__ = ["DRIVER", "MLI", "fill_in", "read_part", "read_source"]

_FOLDER = Path(__file__).with_name("files")

#: The driver, without the generated header of the core's codes.
DRIVER = ("xymac.c", "xymac_list.c", "xymac_network.h", "xymac_network.c", "xymac_external.h",
          "xymac_external.c", "xymac_edges.h", "xymac_edges.c", "xymac_memory.h")
#: The embARC MLI 1.x functions on top of the driver, and the 2.0 moves; the files beside
#: ``xymac_*`` have the names of the library's headers.
MLI = ("mli_api.h", "mli_config.h", "mli_types.h",
       *(f"api/mli_{name}_api.h" for name in (
           "helpers", "kernels", "krn_avepool_spec", "krn_conv2d_spec",
           "krn_depthwise_conv2d_spec", "krn_maxpool_spec", "mov")),
       "xymac_mli.c", "xymac_mli_call.h", "xymac_mli_helpers.c", "xymac_mli_mov.c",
       "xymac_mli_mov_cfg.c", "xymac_mli_record.c", "xymac_mli_run.h", "xymac_mli_run.c",
       "xymac_mli_special.h")


def read_source(name):
    """A file's text."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def read_part(name):
    """A file's text without its licence line, to insert into a file with a licence line."""
    licence, _, text = read_source(name).partition("\n")
    if "SPDX-License-Identifier" not in licence:
        raise ValueError(f"{name} must begin with a licence line, not {licence!r}")
    return text


def fill_in(text, parts):
    """``text`` with each ``@NAME@`` replaced from ``parts``; KeyError for an unknown name."""
    return re.sub("@([A-Z]+)@", lambda match: parts[match[1]], text)
