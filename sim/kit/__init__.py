# SPDX-License-Identifier: Apache-2.0
"""The kit for devices simulated by cocotb."""
