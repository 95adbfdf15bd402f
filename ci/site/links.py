"""Checks built pages: every link, picture, script and anchor exists, nothing is loaded from other hosts, and no table
or block of code was lost on the way from its page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

LOADING = {"img", "script", "link", "iframe", "source", "video", "audio", "object", "embed", "use", "image"}
"""Elements whose addresses the browser loads by itself."""

WITHOUT_LOADING = {"canonical", "prev", "next", "alternate", "edit"}
"""Kinds of `<link>` that are not loaded."""


class Page(HTMLParser):
    """What a page contains that matters here."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[tuple[str, str]] = []
        self.tables = self.blocks = 0
        self._depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep ids, addresses, and the numbers of tables and blocks of code."""
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "a" and found.get("name"):
            self.ids.append(str(found["name"]))
        self.tables += tag == "table"
        self.blocks += tag == "pre"
        passive = tag == "a" or (tag == "link" and set(str(found.get("rel")).split()) <= WITHOUT_LOADING)
        for name in ("href", "src", "data", "poster", "xlink:href"):
            if found.get(name) is not None:
                self.targets.append(("a" if passive else tag, str(found[name])))
        for each in str(found.get("srcset") or "").split(","):
            if each.strip():
                self.targets.append((tag, each.split()[0]))


def check(site: Path, counts: Mapping[str, tuple[int, int]] | None = None) -> list[str]:
    """Return what is wrong with the pages in the folder `site`, a line for each fault.

    `counts` has, by the name of a source page, how many tables and blocks of code its built page must have.
    """
    files = sorted(site.rglob("*.html"))
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    problems = [] if files else [f"{site} has no pages"]
    for path, page in pages.items():
        here = path.relative_to(site.resolve()).as_posix()
        problems += [f"{here}: id {name} twice" for name in sorted({n for n in page.ids if page.ids.count(n) > 1})]
        for tag, target in page.targets:
            fault = _fault(site.resolve(), path, tag, target, pages)
            if fault:
                problems.append(f"{here}: <{tag}> {target}: {fault}")
    for source, wanted in (counts or {}).items():
        built = site / re.sub(r"(^|/)README\.md$|\.md$", lambda found: f"{found[1]}index.html" if found[1] is not None
                              else ".html", source)
        if not built.exists():
            problems.append(f"{source}: not built")
            continue
        page = pages[built.resolve()]
        if (page.tables, page.blocks) != wanted:
            problems.append(f"{source}: {page.tables} tables and {page.blocks} blocks of code, expected {wanted}")
    return problems + _styles(site)


def _fault(site: Path, path: Path, tag: str, target: str, pages: Mapping[Path, Page]) -> str | None:
    """Say what is wrong with an address, or None."""
    if re.match(r"(?i)([a-z][a-z0-9+.-]*:|//)", target):
        if target.startswith("data:") or (tag == "a" and target.startswith("https://")):
            return None
        return "another host" if tag in LOADING else "expected a relative address or https"
    name, _, anchor = target.partition("#")
    name = unquote(name.partition("?")[0])
    there = path if not name else (site / name.lstrip("/") if name.startswith("/") else path.parent / name).resolve()
    if there.is_dir():
        there /= "index.html"
    if site not in there.parents or not there.is_file():
        return "there is no such file"
    if anchor and there in pages and unquote(anchor) not in pages[there].ids:
        return "there is no such anchor"
    return None


def _styles(site: Path) -> list[str]:
    """Faults of style sheets: other hosts, missing files."""
    problems = []
    for path in sorted(site.rglob("*.css")):
        for target in re.findall(r"(?:url\(|@import )[\"']?([^\"')\s]+)", path.read_text(encoding="utf-8")):
            if target.startswith(("data:", "#")):
                continue
            if re.match(r"([a-z]+:|//)", target) or not (path.parent / target.partition("?")[0]).is_file():
                problems.append(f"{path.relative_to(site).as_posix()}: {target}: expected a file of the site")
    return problems
