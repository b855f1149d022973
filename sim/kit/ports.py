# SPDX-License-Identifier: Apache-2.0
"""Port access for every adapter."""

__all__ = ["drive", "reset_of"]


def reset_of(dut, adapter):
    """An Adapter's reset: (handle or None, whether it is active high)."""
    name = adapter.reset.removeprefix("!")
    return getattr(dut, name) if name else None, name == adapter.reset


def drive(dut, **values):
    """Set inputs of a device under test to ints: ``drive(dut, valid=1, data=-3)``.

    AttributeError for an unknown port; OverflowError, naming the port, for an int outside both the
    signed and the unsigned range.
    """
    for name, value in values.items():
        try:
            getattr(dut, name).value = int(value)
        except (OverflowError, ValueError) as error:
            raise OverflowError(f"{name} cannot be {value}: {error}") from error
