"""Opens a page in a real browser without a screen, lets a script use it, and returns what the script found."""

from __future__ import annotations

import json
import os
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests import limits

_HOOKS = """<script>
const errors = [];
addEventListener("error", e => errors.push(String(e.message)));
addEventListener("unhandledrejection", e => errors.push(String(e.reason)));
addEventListener("securitypolicyviolation", e => errors.push(`blocked: ${e.blockedURI}`));
for (const kind of ["error", "warn"]) console[kind] = (...all) => errors.push(all.join(" "));
</script>"""

_END = """<script>
const wait = ms => new Promise(done => setTimeout(done, ms));
const key = name => document.body.dispatchEvent(
  new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
const text = id => document.getElementById(id).textContent;
(async () => {
  let found;
  try { found = await (async () => { %s })(); } catch (e) { errors.push(String(e)); }
  const told = document.createElement("pre");
  told.id = "found";
  told.textContent = JSON.stringify({found, errors});
  document.body.append(told);
})();
</script></body>"""


def browser() -> str:
    """The program of a browser; skips the test if there is none."""
    names = (os.environ.get("MEXTRAIN_BROWSER", ""), "chromium", "chromium-browser", "google-chrome", "chrome")
    for name in filter(None, names):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no browser is installed: expected Chromium or Chrome, or its path in MEXTRAIN_BROWSER")


def use(page: str, script: str, folder: Path, *, size: str = "1200,900", address: str = "") -> Any:
    """Open a page, run a script in it, and return its result. The page must report no error."""
    file = folder / "page.html"
    parts = page.replace("<head>", f"<head>{_HOOKS}", 1).replace("</body>", _END.replace("%s", script), 1)
    file.write_text(parts, encoding="utf-8")
    done = limits.run(
        [
            browser(),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={size}",
            "--virtual-time-budget=30000",
            "--dump-dom",
            f"{file.as_uri()}{address}",
        ]
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    result = json.loads(unescape(found[1]))
    assert result["errors"] == []
    return result.get("found")
