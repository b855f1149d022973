# SPDX-License-Identifier: Apache-2.0
"""MLI debug modes: reactions to a call that breaks a condition."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .types import mli_status

__all__ = ["MODES", "DebugMode"]

_LOGGER = logging.getLogger("xymac.golden.api")

#: Modes by version and value of ``MLI_DEBUG_MODE``.
#: Source: MLI 1.0 and 1.1, "Function Parameters Examination and Debug".
MODES = {
    "1.0": IntEnum("MODES_1_0", {"DBG_MODE_RELEASE": 0, "DBG_MODE_RET_CODES": 1,
                                 "DBG_MODE_FULL": 3}),
    "1.1": IntEnum("MODES_1_1", {"DBG_MODE_RELEASE": 0, "DBG_MODE_RET_CODES": 1,
                                 "DBG_MODE_ASSERT": 2, "DBG_MODE_DEBUG": 3, "DBG_MODE_FULL": 4}),
}


@dataclass(frozen=True)
class DebugMode:
    """Steps in a debug mode; the enabled ones run in this order.

    Parameters
    ----------
    examines : bool, check the conditions before the computation
    prints : bool, log the violation, logger ``xymac.golden.api``
    asserts : bool, raise AssertionError; as in C, assertions can be switched off (``python -O``)
    watches : bool, also log results with an accumulator overflow
    """

    examines: bool
    prints:   bool = False
    asserts:  bool = False
    watches:  bool = False

    @classmethod
    def of(cls, version: str, mode: int | str,
           versions: Mapping[str, type[IntEnum]] | None = None) -> DebugMode:
        """Behaviour for a mode, by value or name; ValueError if the version lacks the mode.

        ``versions`` maps versions to their modes, ``MODES`` by default.
        """
        versions = MODES if versions is None else versions
        if version not in versions:
            raise ValueError(f"version must be {' or '.join(versions)}, not {version!r}")
        modes = versions[version]
        try:
            name = (modes[mode] if isinstance(mode, str) else modes(mode)).name
        except (KeyError, ValueError):
            known = ", ".join(f"{member.value} {member.name}" for member in modes)
            raise ValueError(f"mode of MLI {version} must be one of {known}, "
                             f"not {mode!r}") from None
        kind = name.removeprefix("DBG_MODE_")
        return cls(examines=kind != "RELEASE", prints=kind in ("DEBUG", "FULL"),
                   asserts=kind in ("ASSERT", "DEBUG", "FULL"), watches=kind == "FULL")

    def refuse(self, function: str, status: mli_status, text: str) -> mli_status:
        """Report a violation as the mode wants it; returns its status."""
        if self.prints:
            _LOGGER.error("%s: %s (%s)", function, text, status.name)
        if self.asserts:
            assert not text, f"{function}: {text} ({status.name})"
        return status

    def watch(self, function: str, overflow: bool) -> None:
        """Log an overflow if the mode looks inside the loops."""
        if self.watches and overflow:
            _LOGGER.warning("%s: A sum left the range of the accumulator", function)
