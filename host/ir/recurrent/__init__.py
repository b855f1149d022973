# SPDX-License-Identifier: Apache-2.0
"""Forms for recurrent cells and sequences."""
