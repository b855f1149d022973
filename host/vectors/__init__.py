# SPDX-License-Identifier: Apache-2.0
"""Library reference vectors."""
