"""Recurrent cells: a whole sequence as a loop of passes."""
