# SPDX-License-Identifier: Apache-2.0
"""Generated cases: every edge occurs, within the limits of a device."""
