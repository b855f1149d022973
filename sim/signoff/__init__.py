# SPDX-License-Identifier: Apache-2.0
"""Sign-off: evidence left by commands, the checklist, and the page made from both."""
