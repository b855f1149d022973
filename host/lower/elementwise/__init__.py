"""An element in, an element out."""
