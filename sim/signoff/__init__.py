# SPDX-License-Identifier: Apache-2.0
"""Sign-off: evidence that commands leave behind, the checklist, and the page made of both."""
