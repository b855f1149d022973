"""The golden machine: passes in numpy. It knows no kernels."""
