# SPDX-License-Identifier: Apache-2.0
"""``xymac explore``: which sizes of the core fit a device, and what each does with networks."""
