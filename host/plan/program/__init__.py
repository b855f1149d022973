# SPDX-License-Identifier: Apache-2.0
"""Order passes and cut them into programs for program memory."""
