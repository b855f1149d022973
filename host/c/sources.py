"""The C files that are not generated, and those of them that go to users as they are."""

import re
from pathlib import Path

__all__ = ["DRIVER", "MLI", "fill_in", "read_source"]

_FOLDER = Path(__file__).with_name("files")

#: The driver, without the header that the codes of the core are in.
DRIVER = ("xymac.c", "xymac_network.h", "xymac_network.c", "xymac_edges.h", "xymac_edges.c")
#: The functions of embARC MLI 1.x over it, and the moves of 2.0.
MLI = ("mli_api.h", "xymac_mli.h", "xymac_mli.c", "xymac_mli_call.h", "xymac_mli_helpers.c",
       "xymac_mli_mov.h", "xymac_mli_mov.c", "xymac_mli_mov_cfg.c", "xymac_mli_record.c",
       "xymac_mli_run.h", "xymac_mli_run.c")


def read_source(name):
    """Text of a file."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def fill_in(text, parts):
    """``text`` with each ``@NAME@`` that ``parts`` has; KeyError for one that it has not."""
    return re.sub("@([A-Z]+)@", lambda match: parts[match[1]], text)
