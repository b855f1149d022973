# SPDX-License-Identifier: Apache-2.0
"""The properties that ``make formal`` proves."""

from xymac.sim.formal.command import PROPERTIES

from .table import markdown

__all__ = ["proofs"]


def proofs():
    """Property, sentence, reach of the proof and planted faults."""
    return markdown(("property", "for all inputs", "reach", "planted fault"), [
        (property_.name, property_.text,
         "ever" if property_.induction else f"{property_.steps} cycles",
         "; ".join(fault.text for fault in property_.faults)) for property_ in PROPERTIES.values()])
