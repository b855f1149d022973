# SPDX-License-Identifier: Apache-2.0
"""Images in another size whose pixels are sums of several."""
