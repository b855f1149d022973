# SPDX-License-Identifier: Apache-2.0
"""Waveforms of the simulated core: which signals, under which names, shown in which order.

Verilator dumps every signal in its model; ``sim/rtl/waves.h`` writes the file. ``declarations``
reads the dump's names, ``enumerations`` the texts for their values; ``names`` makes a tree with
readable names from both, ``plan`` tells the writer, and ``viewers`` writes files for GTKWave and
Surfer.
"""
