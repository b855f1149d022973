"""User devices: their capabilities, and the calls to them."""
