# SPDX-License-Identifier: Apache-2.0
"""Cases as files, for use outside Python."""
