"""`python -m ci.site`: builds the site into `site/`, and fails if the generator warns or a link is broken.

    python -m ci.site                            everything
    python -m ci.site --out DIR --no-outputs     into another folder, without running the notebooks
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ci.site.build import build
from ci.site.stage import ROOT


def main() -> int:
    """Build, check, and say how many pages there are; the exit code is 1 if something is wrong."""
    parser = argparse.ArgumentParser(description="Builds the site of the documentation.")
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="folder for the site (default: site)")
    parser.add_argument("--no-outputs", action="store_true", help="show the notebooks without running them")
    arguments = parser.parse_args()
    problems, pages = build(arguments.out, outputs=not arguments.no_outputs)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{arguments.out}: {pages} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
