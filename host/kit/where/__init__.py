# SPDX-License-Identifier: Apache-2.0
"""Places of wrong outputs, in words."""
