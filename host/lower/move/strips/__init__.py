"""Strips of an image as other strips, or as pixels."""
