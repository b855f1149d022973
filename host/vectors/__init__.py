"""Reference vectors of the libraries."""
