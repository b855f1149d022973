# SPDX-License-Identifier: Apache-2.0
"""Program cycle costs, and their lower bounds."""
