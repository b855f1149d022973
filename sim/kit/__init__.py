# SPDX-License-Identifier: Apache-2.0
"""The kit for devices that cocotb simulates."""
