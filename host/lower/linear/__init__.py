"""Convolutions and matrices."""
