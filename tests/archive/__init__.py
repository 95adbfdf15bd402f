"""Archives: writing, resuming, verifying, replaying and reading them."""
