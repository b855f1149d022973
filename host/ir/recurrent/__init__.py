# SPDX-License-Identifier: Apache-2.0
"""Forms of recurrent cells and sequences."""
