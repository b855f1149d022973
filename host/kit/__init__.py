# SPDX-License-Identifier: Apache-2.0
"""The kit: check your own accelerator against the exact models."""
