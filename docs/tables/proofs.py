# SPDX-License-Identifier: Apache-2.0
"""The properties proved by ``make formal``."""

from xymac.sim.formal.catalogue import PROPERTIES

from .table import markdown

__all__ = ["proofs"]


def proofs():
    """Property, sentence, proof reach and planted faults."""
    return markdown(("property", "for all inputs", "reach", "planted fault"), [
        (property_.name, property_.text, property_.reach,
         "; ".join(fault.text for fault in property_.faults))
        for property_ in PROPERTIES.values()])
