# SPDX-License-Identifier: Apache-2.0
"""Results of a device's cases, for people and machines."""
