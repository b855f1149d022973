"""Sums that saturate on the way."""
