"""What comes in from callers: wrong arguments of every kind, texts as people write them, and texts of all sorts."""
