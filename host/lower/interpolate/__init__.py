"""Images in another size whose pixels are sums of several."""
