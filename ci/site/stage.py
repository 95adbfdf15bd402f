"""Copies the pages into a build folder, in the same tree, and adapts them to the site generator.

The pages are written for readers of the repository. The generator understands another Markdown: info strings of fences
have one word, lists are indented by four blanks, and a list or table needs a blank line before it. Links to files that
are no pages lead to pages with their text, links to folders to an index.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from ci.site import notebooks, reference

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = "docs/decisions"
NOTEBOOKS = ROOT / "examples" / "notebooks"
CODE = {".py": "python", ".c": "c", ".h": "c", ".js": "javascript", ".awk": "awk", "": "text"}
"""Files that links may lead to besides pages, by suffix: the language of the fence that shows them."""

_FENCE = re.compile(r"( *)(`{3,})(.*)")
_ITEM = re.compile(r"( *)([-*+]|\d+\.)( +)(?=\S)")


def stage(pages: Path, outputs: bool) -> dict[str, tuple[int, int]]:
    """Write all pages into the folder `pages`: for each, the numbers of its tables and its blocks of code.

    The pages of notebooks have outputs only if `outputs` is true.
    """
    counts = {}
    listed = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "bench" / "README.md"]
    for source in sorted(listed):
        text = source.read_text(encoding="utf-8")
        counts[put(pages, source.relative_to(ROOT).as_posix(), adapted(text, source.parent))] = counted(text)
    for source in sorted(ROOT.glob("docs/pictures/*.svg")):
        target = pages / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for source in [ROOT / "LICENSE", *examples()]:
        put(pages, f"{source.relative_to(ROOT).as_posix()}.md", listing(source))
    for source in sorted(NOTEBOOKS.glob("*.py")):
        name = f"{source.relative_to(ROOT).as_posix()}.md"
        text = notebooks.page(source, (pages / name).parent if outputs else None)
        put(pages, name, adapted(text, source.parent))
    for folder in ("examples", "examples/bots", "examples/c_abi", "examples/learner", "examples/notebooks", DECISIONS):
        put(pages, f"{folder}/index.md", index(pages / folder, folder))
    for name, text in reference.pages().items():
        put(pages, f"reference/{name}.md", text)
    shutil.copy(Path(__file__).with_name("site.css"), pages / "site.css")
    return counts


def put(pages: Path, name: str, text: str) -> str:
    """Write one page, and return its name."""
    target = pages / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return name


def examples() -> list[Path]:
    """The programs in examples/ that are no notebooks."""
    found = [path for path in (ROOT / "examples").rglob("*.*") if path.suffix in CODE and path.suffix != ""]
    return sorted(path for path in found if NOTEBOOKS not in path.parents and "__pycache__" not in path.parts)


def listing(source: Path) -> str:
    """A page with the text of a file."""
    text = source.read_text(encoding="utf-8")
    return f"# {source.relative_to(ROOT).as_posix()}\n\n```{CODE[source.suffix]}\n{text}```\n"


def index(folder: Path, name: str) -> str:
    """A page that lists the pages of a folder by their titles."""
    title = {DECISIONS: "Decisions", "examples/notebooks": "Notebooks"}.get(name, name)
    found = [path for path in sorted(folder.rglob("*.md")) if path.name != "index.md"]
    links = [f"- [{title_of(path)}]({path.relative_to(folder).as_posix()})" for path in found]
    return "\n".join([f"# {title}", "", *links, ""])


def title_of(page: Path) -> str:
    """The first heading of a staged page."""
    found = re.search(r"(?m)^# (.+)$", page.read_text(encoding="utf-8"))
    assert found, f"{page} has no heading"
    return found[1].replace("`", "")


# -- Markdown


def adapted(text: str, folder: Path) -> str:
    """The text of a page that lies in `folder`, for the generator."""
    lines: list[str] = []
    # For each list that is open: where the text of its item begins.
    lists: list[int] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.fullmatch(line)
        item = None if fence or mark else _ITEM.match(line)
        indent = len(line) - len(line.lstrip(" "))
        before = lines[-1] if lines else ""
        if line.strip() and not fence:
            # A line that is not indented ends the lists, unless it goes on with the paragraph of an item.
            while lists and indent < lists[-1] and (item or mark or not before.strip()):
                lists.pop()
        if item and not lists and before.strip() and not _ITEM.match(before):
            lines.append("")
        moved = 4 * len(lists) + indent - lists[-1] if lists and indent >= lists[-1] else indent
        body = line.lstrip(" ")
        if mark:
            if not fence:
                fence = mark[2]
                body = mark[2] + _info(mark[3])
            elif mark[3] == "" and mark[2] == fence:
                fence = ""
        elif not fence:
            body = linked(body, folder)
        lines.append(" " * moved + body if body else "")
        if item:
            lists.append(len(item[0]))
    return "\n".join([*lines, ""])


def _info(words: str) -> str:
    """The info string of a fence for the generator: the language, and the name of the file if the block is one."""
    language, _, more = words.partition(" ")
    return f'{language} title="{more}"' if "." in more else language


def linked(line: str, folder: Path) -> str:
    """A line whose links lead to the pages that this site has for files and folders."""

    def there(found: re.Match[str]) -> str:
        path, mark, anchor = found[2].partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return found[0]
        target = folder / path
        if target.is_dir():
            path = f"{path.rstrip('/')}/index.md"
        elif target.suffix in CODE:
            path += ".md"
        return f"{found[1]}{path}{mark}{anchor}{found[3]}"

    return re.sub(r"(\]\()([^)\s]+)(\))", there, line)


def counted(text: str) -> tuple[int, int]:
    """The numbers of tables and of blocks of code in the source of a page."""
    tables = fences = 0
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.fullmatch(line)
        if mark and not fence:
            fence, fences = mark[2], fences + 1
        elif mark and mark[2] == fence and not mark[3]:
            fence = ""
        elif not fence:
            tables += re.fullmatch(r" *\|(:?-+:?\|| *:?-+:? *\|)+", line) is not None
    return tables, fences


# -- navigation


def navigation(pages: Path) -> list[object]:
    """The navigation: the home page, the sections of docs/README.md in their order, and the API reference."""
    sections: list[object] = [{"mextrain": "README.md"}]
    heading, entries = "Documentation", ["docs/README.md"]
    for kind, found in _parts((ROOT / "docs" / "README.md").read_text(encoding="utf-8")):
        if kind == "heading":
            sections.append({heading: entries})
            heading, entries = found, []
        else:
            entries.append(_staged(found))
    reference_pages = [f"reference/{name}.md" for name in ("index", *reference.AREAS)]
    decisions = [f"{DECISIONS}/{path.name}" for path in sorted((pages / DECISIONS).glob("*.md"))]
    decisions.sort(key=lambda name: not name.endswith("index.md"))
    entries = [each for each in entries if each != f"{DECISIONS}/index.md"]
    return [*sections, {heading: entries}, {"API reference": reference_pages}, {"Decisions": decisions}]


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the headings of the tables (`Start here:`) and the first link of each row."""
    for line in text.splitlines():
        if found := re.fullmatch(r"(?:## )?([A-Z][^|]*?)(?:, in \[.*)?:?", line):
            if line.endswith(":") or line.startswith("## "):
                yield "heading", found[1]
        elif found := re.match(r"\| \[[^\]]*\]\(([^)#]+)\)", line):
            yield "page", found[1]


def _staged(target: str) -> str:
    """The page to which a link in docs/README.md leads."""
    path = (ROOT / "docs" / target).resolve()
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        return f"{name}/index.md"
    return f"{name}.md" if path.suffix in CODE else name
