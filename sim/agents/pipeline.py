# SPDX-License-Identifier: Apache-2.0
"""Drive blocks without handshakes: new inputs every cycle, and outputs after a fixed latency."""

from cocotb.triggers import RisingEdge

__all__ = ["feed"]


async def feed(dut, stimuli, outputs, latency):
    """Apply a stimulus each cycle and return the outputs ``latency`` cycles later.

    Parameters
    ----------
    stimuli : list of dicts, port name to encoded value; an omitted port keeps its value
    outputs : names of the ports to read
    latency : int, cycles

    Returns a list with an unsigned int dict for each stimulus.
    """
    stimuli, results = list(stimuli), []
    for cycle in range(len(stimuli) + latency):
        if cycle < len(stimuli):
            for name, value in stimuli[cycle].items():
                getattr(dut, name).value = value
        await RisingEdge(dut.clk)  # Values read here belong to the cycle that ends.
        if cycle >= latency:
            results.append({name: int(getattr(dut, name).value) for name in outputs})
    return results
