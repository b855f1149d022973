# SPDX-License-Identifier: Apache-2.0
"""Pass fetch, from program memory to the loop sequencer.

``sequencer`` runs a program. ``loader`` copies a pass into a slot, ``scan`` finds its windows, and
``checker`` validates it. ``repeat`` selects the next pass, ``queue`` launches passes in order, and
``outcome`` holds the program state.
"""
