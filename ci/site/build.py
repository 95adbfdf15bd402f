"""Runs the site generator on the staged pages, and checks what it made."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from ci.site import links, stage

CONFIG = Path(__file__).with_name("mkdocs.yml")


def build(out: Path, outputs: bool = True) -> tuple[list[str], int]:
    """Build the site into `out`, which is replaced: the problems found, and the number of pages.

    With `outputs` the notebooks are run.
    """
    work = stage.ROOT / "build" / "site" / ("full" if outputs else "quick")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    counts = stage.stage(work / "pages", outputs)
    # JSON is YAML, too.
    config = {
        "docs_dir": "pages",
        "site_dir": "built",
        "nav": stage.navigation(work / "pages"),
    }
    lines = [f"{name}: {json.dumps(value)}" for name, value in config.items()]
    text = CONFIG.read_text(encoding="utf-8").replace("ROOT", json.dumps(str(stage.ROOT))[1:-1])
    (work / "mkdocs.yml").write_text("\n".join([text, *lines, ""]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", work / "mkdocs.yml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        return [done.stdout, f"the generator ended with status {done.returncode}"], 0
    problems = links.check(work / "built", counts)
    shutil.rmtree(out, ignore_errors=True)
    shutil.move(work / "built", out)
    return problems, len(list(out.rglob("*.html")))
