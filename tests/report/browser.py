"""A page measured in headless Chromium: in a frame of some width, by a script beside it."""

import html
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

SCRIPT = """
window.addEventListener("load", () => {
  const frame = document.querySelector("iframe"), page = frame.contentDocument;
  page.querySelectorAll("details").forEach((part) => { part.open = true; });
  const root = page.documentElement;
  const pictures = [...page.querySelectorAll("svg")].map((svg) => {
    const box = svg.getBoundingClientRect();
    const named = (svg.getAttribute("aria-labelledby") || "").split(" ")
      .map((id) => page.getElementById(id)?.textContent || "");
    const letters = [...svg.querySelectorAll("text")].map((t) => t.getBoundingClientRect());
    return {
      width: box.width, height: box.height, role: svg.getAttribute("role"), named,
      outside: letters.filter((b) => b.left < box.left - 1 || b.right > box.right + 1
        || b.bottom > box.bottom + 1).length,
      letter: Math.min(...letters.map((b) => b.height)),
    };
  });
  const ids = [...page.querySelectorAll("[id]")].map((e) => e.id);
  const facts = {
    width: frame.contentWindow.innerWidth,
    wide: Math.max(root.scrollWidth, page.body.scrollWidth),
    pictures,
    repeated: ids.filter((id, k) => ids.indexOf(id) !== k),
    fetched: frame.contentWindow.performance.getEntriesByType("resource").map((e) => e.name),
    outward: [...page.querySelectorAll("[src], link[href]")]
      .map((e) => e.src || e.href).filter((to) => !to.startsWith("data:")),
    broken: [...page.querySelectorAll("a[href^='#']")]
      .filter((a) => !page.getElementById(a.getAttribute("href").slice(1))).length,
  };
  document.body.textContent = JSON.stringify(facts);
});
"""


def measure(page: Path, width: int, folder: Path) -> dict[str, Any]:
    """What a frame of this width shows of the page."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install it (apt-get install chromium) to look at the pages")
    wrapper = folder / f"at_{width}.html"
    frame = f'<iframe width="{width}" height="800" style="border:0" srcdoc="{html.escape(page.read_text())}">'
    wrapper.write_text(
        f'<!doctype html><meta charset="utf-8"><script>{SCRIPT}</script><body>{frame}</iframe>'
    )
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               f"--user-data-dir={folder / 'profile'}", "--window-size=1400,900",
               "--virtual-time-budget=5000", "--dump-dom", wrapper.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    body = done.stdout.partition("<body>")[2].rpartition("</body>")[0]
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return {**json.loads(html.unescape(body)), "console": said}
