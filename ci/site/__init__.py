"""Builds the site of the documentation: `make docs`, or `python -m ci.site` in an environment with the extra `docs`.

`stage` copies the pages into a build folder and adapts them to the generator; `notebooks` runs the notebooks and writes
pages with their outputs; `reference` writes pages that name what the API reference shows; `build` runs the generator;
`links` checks the built files.
"""
