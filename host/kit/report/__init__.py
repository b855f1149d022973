# SPDX-License-Identifier: Apache-2.0
"""A device's case results, for people and machines."""
