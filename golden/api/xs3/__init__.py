"""The functions of lib_nn by their documented names."""
