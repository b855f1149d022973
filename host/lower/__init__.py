"""Layers as passes: a folder a family, in each the form that no library knows."""
