# SPDX-License-Identifier: Apache-2.0
"""Generated document tables."""
