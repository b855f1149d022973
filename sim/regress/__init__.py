"""All that keeps the project right, in pieces for as many computers as there are."""
