# SPDX-License-Identifier: Apache-2.0
"""A program in C for VexRiscv in a LiteX system: it runs a network on images."""
