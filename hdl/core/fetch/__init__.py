"""Passes on their way from program memory to the loop sequencer.

``sequencer`` runs a program. ``loader`` brings a pass into a slot, ``scan`` finds its windows, and
``checker`` judges the pass. ``repeat`` says which pass comes next, ``queue`` launches it in its
turn, ``outcome`` is how all ends.
"""
