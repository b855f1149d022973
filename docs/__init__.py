"""The documents, and in ``tables`` what writes the tables in them."""
