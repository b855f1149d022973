# SPDX-License-Identifier: Apache-2.0
"""The integer operations between libraries and passes: exact, and known to no library."""
