"""The trained nets of the package."""
