"""Why a plan refuses what layers take: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, EMPTY, FORMATS, contract, limit

__all__ = ["REASONS"]

REASONS = {
    "… needs … bytes of … memory; of its … bytes … are free, … in one piece":
        limit("not everything is cut: a step of a cell stays whole, and so do elements that are "
              "ranked or divided by their sum"),
    "A program must have 1 to … passes on size …, not …: it cannot be cut between passes … and …":
        limit("a loop of passes, and what makes and uses a scalar, stay in one program"),
    "… needs the operation …, which …: size … has only …":
        limit("the microprogram of the compact core has no room for it, and a user can leave "
              "functions out of other cores"),
    "… needs the reduction …, which …: size … has only …":
        limit("the microprogram of the compact core has no room for it, and a user can leave "
              "functions out of other cores"),
    "… has a table of its own, and those of size … cannot be written":
        limit("the tables of the compact core are a part of its microprogram's memory"),
    "A program can use … tables of its own, not …":
        contract("a plan loads further tables between programs"),
    "Tables of … entries do not fit the … of the core beside those that are used":
        limit("table memory has no room for all tables of one layer"),
    "A program must have 1 to … passes on size …, not …":
        contract("a plan cuts longer programs into segments before"),
    "Pass … must go back at most … passes, not …": contract("loops begin within their program"),
    "A plan must have at least one layer, not 0": EMPTY,
    "The plan takes … inputs, not …": ARGUMENT,
    "Input must have shape, type and frac_bits …, not …": FORMATS,
    "Sources must be values from 0 to …, not …": ARGUMENT,
    "… takes … input…, not …": ARGUMENT,
    "States must have shapes and types …, not …": ARGUMENT,
}
