"""Cycle costs of programs, and their lower bounds."""
