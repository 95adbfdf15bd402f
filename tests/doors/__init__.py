"""Input from callers: wrong arguments of every kind, texts as people write them, and random texts."""
