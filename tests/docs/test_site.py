"""The site of the documentation: how pages are adapted, and what its own check finds. `make docs` builds all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mextrain
from ci.site import links, reference, stage
from tests import limits
from tests.docs.pages import PAGES, ROOT, fences, name_of, read, tables

HERE = ROOT / "docs"


# -- the whole site


def test_the_site_builds_and_all_its_links_lead_somewhere(tmp_path: Path) -> None:
    """Without running the notebooks, which test_notebooks.py does."""
    pytest.importorskip("zensical")
    pytest.importorskip("mkdocstrings_handlers.python")
    out = tmp_path / "site"
    done = limits.run(
        [sys.executable, "-m", "ci.site", "--no-outputs", "--out", out], cwd=ROOT, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("pages, 0 problems\n")
    for page in PAGES:
        there = re.sub(r"(^|/)README\.md$", r"\1index.md", name_of(page)).removesuffix(".md") + ".html"
        assert (out / there).exists(), name_of(page)
    built = "".join(map(read, (out / "reference").glob("*.html")))
    anchors = set(re.findall(r'id="(mextrain[\w.]*)"', built))
    public = {f"mextrain.{home}.{name}" for name, home in mextrain._HOMES.items()}
    assert public - anchors == set()


def test_every_public_name_has_a_page_in_the_reference() -> None:
    shown = re.findall(r"(?m)^::: mextrain\.(.*)$", "".join(reference.pages().values()))
    assert len(shown) == len(set(shown))
    assert {f"{home}.{name}" for name, home in mextrain._HOMES.items()} <= set(shown)
    assert {"archive.write_archive", "dataset.DecisionDataset", "c.get_include"} <= set(shown)


def test_the_reference_needs_no_compiler() -> None:
    """Its pages come from the sources, so making them imports no Numba."""
    done = limits.run(
        [sys.executable, "-c", "import sys; from ci.site import stage; print('numba' in sys.modules)"], cwd=ROOT
    )
    assert done.stdout == "False\n", done.stderr


# -- adapting pages


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_counts_are_those_of_the_page(page: Path) -> None:
    """Counted in another way than by `tests.docs.pages`."""
    assert stage.counted(read(page)) == (len(tables(page)), len(fences(page)))


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("```text output\na  b\n```\n", "```text\na  b\n```\n"),
        ("```python bot.py\nx\n```\n", '```python title="bot.py"\nx\n```\n'),
        ("```text\n```python\n- [a](rules)\n```\n", "```text\n```python\n- [a](rules)\n```\n"),
        ("1. one\n\n   two\n   - three\n     four\n\nfive\n", "1. one\n\n    two\n    - three\n        four\n\nfive\n"),
        ("1. one\n\n   | a |\n   |---|\n", "1. one\n\n    | a |\n    |---|\n"),
        ("10. one\n    two\n", "10. one\n    two\n"),
        ("words:\n- one\n- two\n", "words:\n\n- one\n- two\n"),
        ("- one\n  ```sh x\n  two\n  ```\n", "- one\n    ```sh\n    two\n    ```\n"),
        ("[a](../examples/own_policy.py#x) `b`\n", "[a](../examples/own_policy.py.md#x) `b`\n"),
        ("[a](decisions/) [b](#c) [d](https://e.f/g.py)\n", "[a](decisions/index.md) [b](#c) [d](https://e.f/g.py)\n"),
        ("[a](../LICENSE)\n", "[a](../LICENSE.md)\n"),
    ],
)
def test_what_the_generator_needs(text: str, adapted: str) -> None:
    assert stage.adapted(text, HERE) == adapted


def test_the_navigation_has_every_page_of_the_index(tmp_path: Path) -> None:
    stage.stage(tmp_path, outputs=False)
    sections = stage.navigation(tmp_path)
    named = {page for section in sections if isinstance(section, dict) for page in _pages(section)}
    assert [page for page in named if not (tmp_path / page).exists()] == []
    assert {name_of(page) for page in PAGES if page.parent == HERE} <= named
    assert "examples/notebooks/worth_of_a_hand.py.md" in named


def _pages(section: dict[str, object]) -> list[str]:
    (entries,) = section.values()
    return entries if isinstance(entries, list) else [str(entries)]


# -- the check of the built pages

GOOD = '<h1 id="a">x</h1><a href="b.html#c">b</a><img src="p.svg"><table></table><pre>x</pre>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<p id="c"></p><a href="/a.html">a</a><a href="#c">c</a><a href="https://x.y/">x</a>')
    (tmp_path / "p.svg").write_text("<svg/>")
    (tmp_path / "s.css").write_text('a { background: url("p.svg") }')
    return tmp_path


def test_a_good_site_has_no_problems(site: Path) -> None:
    assert links.check(site, {"a.md": (1, 1)}) == []


@pytest.mark.parametrize(
    ("added", "problem"),
    [
        ('<a href="gone.html">', "<a> gone.html: there is no such file"),
        ('<a href="b.html#d">', "<a> b.html#d: there is no such anchor"),
        ('<a href="#d">', "<a> #d: there is no such anchor"),
        ('<a href="../outside.html">', "<a> ../outside.html: there is no such file"),
        ('<a href="http://x.y/">', "<a> http://x.y/: expected a relative address or https"),
        ('<img src="q.svg">', "<img> q.svg: there is no such file"),
        ('<img src="https://x.y/q.png">', "<img> https://x.y/q.png: another host"),
        ('<script src="//x.y/s.js"></script>', "<script> //x.y/s.js: another host"),
        ('<link rel="stylesheet" href="https://x.y/s.css">', "<link> https://x.y/s.css: another host"),
        ('<source srcset="p.svg 1x, https://x.y/p.svg 2x">', "<source> https://x.y/p.svg: another host"),
        ('<p id="a">', "id a twice"),
    ],
)
def test_what_the_check_finds(site: Path, added: str, problem: str) -> None:
    (site / "a.html").write_text(GOOD + added)
    assert links.check(site) == [f"a.html: {problem}"]


def test_the_check_finds_what_was_lost(site: Path) -> None:
    assert links.check(site, {"a.md": (2, 1)}) == ["a.md: 1 tables and 1 blocks of code, expected (2, 1)"]
    assert links.check(site, {"c.md": (0, 0)}) == ["c.md: not built"]


@pytest.mark.parametrize("address", ["https://x.y/f.woff2", "//x.y/f.woff2", "gone.woff2"])
def test_the_check_reads_style_sheets(site: Path, address: str) -> None:
    (site / "s.css").write_text(f"@font-face {{ src: url({address}) }}")
    assert links.check(site) == [f"s.css: {address}: expected a file of the site"]


def test_an_empty_site_is_a_problem(tmp_path: Path) -> None:
    assert links.check(tmp_path) == [f"{tmp_path} has no pages"]
