# SPDX-License-Identifier: Apache-2.0
"""Generated cases: every edge occurs, within a device's limits."""
