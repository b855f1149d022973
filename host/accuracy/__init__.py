# SPDX-License-Identifier: Apache-2.0
"""Network accuracy: labels, scores, and the float network in comparison."""
