# SPDX-License-Identifier: Apache-2.0
"""Programs with their transfers: typed steps for runtimes to execute and printers to print."""
