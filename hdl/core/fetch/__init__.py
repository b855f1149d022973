"""Passes on their way from program memory to the walker.

``sequencer`` runs a program. ``loader`` brings a pass into a slot and ``checker`` judges it,
``repeat`` says which comes next, ``queue`` launches it in its turn, ``outcome`` is how all ends.
"""
