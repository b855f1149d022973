"""What a program costs, and what it cannot cost less than."""
