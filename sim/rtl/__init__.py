# SPDX-License-Identifier: Apache-2.0
"""RTL core as a device."""
