# SPDX-License-Identifier: Apache-2.0
"""``xymac explore``: core sizes for a device, and their speed on networks."""
