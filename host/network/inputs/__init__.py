"""Inputs of a network: arrays, image files and random ones."""
