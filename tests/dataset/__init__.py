"""Data sets made of archives."""
