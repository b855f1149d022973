# SPDX-License-Identifier: Apache-2.0
"""Programs with their transfers: typed steps that a runtime executes and printers print."""
