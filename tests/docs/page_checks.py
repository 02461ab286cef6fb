"""Pages as people see them, in Chromium on a screen and on a telephone.

    make docs && python -m tests.docs.page_checks --pictures /tmp/pages

Home, start, one learner, serving, export and a report: nothing sticks out to the right, text stands out
from its ground (WCAG AA), every picture says what it shows, the console is silent, and on a screen the
navigation is one line. A few seconds a page; ``tests/docs/test_page_checks.py`` looks at a report alone.
"""

import argparse
import base64
import functools
import http.server
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from serve.chromium import Browser

BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = ("index", "start", "learners/arow", "serving", "export")
WIDTHS = (1280, 390)
REPORT = ("compare", "breast_cancer", "--learner", "perceptron", "--learner", "arow", "--quiet")

LOOK = r"""
(() => {
  const rgb = (text) => {
    const m = text.match(/rgba?\(([^)]+)\)/);
    if (!m) return null;
    const [r, g, b, a = 1] = m[1].split(/[\s,\/]+/).filter(Boolean).map(Number);
    return [r, g, b, a];
  };
  const light = (c) => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const over = (top, below) => top.slice(0, 3).map((c, k) => c * top[3] + below[k] * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e), colour = rgb(style.backgroundColor);
      if (style.backgroundImage !== "none") return null;
      if (colour && colour[3] > 0) layers.push(colour);
      if (colour && colour[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || !element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    if (element.closest("script, style, title, desc, [aria-hidden=true], .headerlink")) continue;
    const style = getComputedStyle(element), behind = ground(element);
    const said = rgb(element.closest("svg") ? style.fill : style.color);
    if (!behind || !said) continue;
    const pair = [luminance(over(said, behind)), luminance(behind)].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${text.slice(0, 30)}: ${ratio.toFixed(2)}`);
  }
  const silent = [...document.querySelectorAll("img")]
    .filter((i) => !i.alt && i.getAttribute("role") !== "presentation").map((i) => i.src);
  const unnamed = [...document.querySelectorAll("svg[role=img]")]
    .filter((s) => !s.closest("[aria-hidden=true], a, button") && !s.querySelector("title")
      && !s.getAttribute("aria-label")).length;
  const middle = (e) => (e.getBoundingClientRect().top + e.getBoundingClientRect().bottom) / 2;
  const items = [...document.querySelectorAll(".bd-header .navbar-nav > li")]
    .filter((e) => e.checkVisibility());
  return {
    overflow: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth,
    faint: [...new Set(faint)], silent, unnamed,
    lines: new Set(items.map((e) => Math.round(middle(e) / 20))).size,
    header: document.querySelector(".bd-header")?.getBoundingClientRect().height || 0,
  };
})()
"""


def look(browser, url, width, picture=None):
    """What is wrong with a page at a width, line by line."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                mobile=width < 600)  # fmt: skip
    for domain in ("Runtime", "Log", "Page"):
        browser.ask(f"{domain}.enable")
    browser.events.clear()
    browser.ask("Page.navigate", url=url)
    browser.wait(f"location.href.startsWith({url!r}) && document.readyState === 'complete'")
    found = browser.value(LOOK)
    if picture is not None:
        taken = browser.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        picture.write_bytes(base64.b64decode(taken))
    wrong = [f"{found['overflow']} pixels stick out"] if found["overflow"] > 0 else []
    wrong += [f"faint text, {words}" for words in found["faint"]]
    wrong += [f"a picture without words: {source}" for source in found["silent"]]
    wrong += [f"{found['unnamed']} drawings without a title"] * (found["unnamed"] > 0)
    if width >= 1000 and (found["lines"] > 1 or found["header"] > 90):
        wrong.append(f"the navigation takes {found['lines']} lines, {found['header']:.0f} pixels")
    return wrong + [f"console: {words}" for words in said(browser.events)]


def said(events):
    """The errors of the console."""
    for event in events:
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            yield told["exceptionDetails"].get("text", "an exception")
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            yield f"{told['entry']['text']} {told['entry'].get('url', '')}"
        elif method == "Runtime.consoleAPICalled" and told["type"] == "error":
            yield str(told["args"][:1])


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing of it."""

    def log_message(self, *_):
        pass


def served(folder):
    """A server of a folder; its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def main():
    """Look at every page at every width."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path)
    chosen = parser.parse_args()
    if not (BUILT / "index.html").exists():
        raise SystemExit(f"no pages in {BUILT}: make docs first")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        report = folder / "report.html"
        subprocess.run([sys.executable, "-m", "fenchel", *REPORT, "--report", report], check=True)
        home = served(BUILT)
        urls = {page.replace("/", "_"): f"{home}/{page}.html" for page in PAGES}
        urls["report"] = report.as_uri()
        browser, failed = Browser(folder / "profile", "about:blank?"), 0
        for name, url in urls.items():
            for width in WIDTHS:
                picture = chosen.pictures / f"{name}_{width}.png" if chosen.pictures else None
                if picture is not None:
                    picture.parent.mkdir(parents=True, exist_ok=True)
                wrong = look(browser, url, width, picture)
                failed += bool(wrong)
                print(f"{name} at {width}:", "; ".join(wrong) or "well", flush=True)
        browser.close()
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
