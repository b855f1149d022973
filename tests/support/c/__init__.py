# SPDX-License-Identifier: Apache-2.0
"""Programs in C that are linked with a core in simulation."""
