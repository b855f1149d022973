"""Small sample networks with one operator, built to a Wish."""
