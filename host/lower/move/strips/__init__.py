# SPDX-License-Identifier: Apache-2.0
"""Image strips converted to other strips or to pixels."""
