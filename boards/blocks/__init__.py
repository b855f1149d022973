"""The blocks of a design: kinds of them, as a table and as a figure."""
