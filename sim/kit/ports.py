# SPDX-License-Identifier: Apache-2.0
"""Port access for every adapter."""

__all__ = ["bus_of", "drive", "reset_of"]


def reset_of(dut, adapter):
    """An Adapter's reset: (handle or None, whether it is active high)."""
    name = adapter.reset.removeprefix("!")
    return getattr(dut, name) if name else None, name == adapter.reset


def bus_of(kind, dut, prefix):
    """A bus of cocotbext.axi with the ports ``<prefix>_<name>``; AttributeError for a port that it
    needs and the device has not.
    """
    bus = kind.from_prefix(dut, prefix)
    for name, handle in _signals_of(bus):
        if handle is None:
            raise AttributeError(f"{dut._name} has no port {prefix}_{name}")
    return bus


def _signals_of(bus):
    """(name, handle) of the ports that a bus or its channels need or have."""
    if isinstance(getattr(bus, "_signals", None), dict):
        yield from bus._signals.items()
        return
    for part in vars(bus).values():
        yield from _signals_of(part)


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
