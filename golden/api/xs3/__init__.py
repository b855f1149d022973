"""The functions of lib_nn by their documented names, and the constants of the vector unit."""

from .constants import CONSTANTS

__all__ = ["CONSTANTS"]


def __getattr__(name):
    if name in CONSTANTS:
        return CONSTANTS[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")
