# SPDX-License-Identifier: Apache-2.0
"""Host link: UART bytes form frames, and frames carry requests."""
