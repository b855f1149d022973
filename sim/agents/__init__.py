"""What benches drive blocks with."""
