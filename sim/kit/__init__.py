# SPDX-License-Identifier: Apache-2.0
"""The kit on devices that cocotb simulates."""
