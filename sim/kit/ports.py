# SPDX-License-Identifier: Apache-2.0
"""What every adapter does to the ports of its device."""

__all__ = ["drive"]


def drive(dut, **values):
    """Set inputs of a device under test to ints: ``drive(dut, valid=1, data=-3)``.

    AttributeError for a name that is no port; OverflowError, which names the port, for an int that
    fits it neither with a sign nor without.
    """
    for name, value in values.items():
        try:
            getattr(dut, name).value = int(value)
        except (OverflowError, ValueError) as error:
            raise OverflowError(f"{name} cannot be {value}: {error}") from error
