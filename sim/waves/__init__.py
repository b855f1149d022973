# SPDX-License-Identifier: Apache-2.0
"""Waveforms of the simulated core: which signals, under which names, shown in which order.

Verilator dumps every signal of its model; ``sim/rtl/waves.h`` writes the file. ``declarations``
reads the names of the dump, ``enumerations`` the texts of their values, ``names`` makes a tree of
readable names of both, ``plan`` tells the writer, and ``viewers`` writes what GTKWave and Surfer
open.
"""
