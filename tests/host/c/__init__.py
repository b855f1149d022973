"""Tests of ``host.c``."""
