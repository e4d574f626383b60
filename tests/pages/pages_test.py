#!/usr/bin/env python3
"""Opens pages of results in Chromium, without a window, and checks them.

Usage: pages_test.py FLOPCAST FOLDER [--plain] [--screenshots FOLDER]

FOLDER has documents, NAME.json, of which `flopcast report` makes a page each, and one of all together. Before, small pages with a fault each
show that the checks find faults. Screenshots are those of narrow and wide windows in both schemes.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import page_checks as checks
from browser import Browser

GOOD = pathlib.Path(__file__).with_name("good_page.html")
DOCUMENT = '{"schema": "flopcast-test-1"}'


def clicked_faults(browser):
    """Returns the faults that loading_faults() finds within five seconds after a click."""
    browser.run("document.body.click()")
    until = time.monotonic() + 5
    found = []
    while not found and time.monotonic() < until:
        found = list(checks.loading_faults(browser))
    return found



CLICKED = "<script>addEventListener('click', () => fetch('http://127.0.0.1:9/b').catch(() => 0))</script></body>"
SCRIPTLESS = "@media (scripting: none) {{ {} {{ display: none; }} }}</style>"

# A check, what makes GOOD a bad page, by a replacement, and words of the fault that the check must find then.
BAD = [
    (checks.loading_faults, "</body>", "<script>console.error('oh')</script></body>", "console: "),
    (checks.loading_faults, "</body>", "<script>console.warn('oh')</script></body>", "console: "),
    (checks.loading_faults, "</body>", "<script>oh.no()</script></body>", "console: "),
    (checks.loading_faults, "</body>", "<img src='http://127.0.0.1:9/a.png' alt=''></body>", "asks for http://127.0.0.1:9/a.png"),
    (checks.loading_faults, "</body>", "<link rel='stylesheet' href='style.css'></body>", "asks for file:"),
    (clicked_faults, "</body>", CLICKED, "asks for http"),
    (checks.loading_faults, "&lt;script&gt;flopcastExecuted = 1&lt;/script&gt;", "<script>flopcastExecuted = 1</script>", "was executed"),
    (checks.width_faults, "<h1>", "<h1 style='width: 900px'>", "at 400 pixels the page is"),
    (checks.width_faults, "margin: 0 1rem", "margin: 0 auto; max-width: 40rem", "at 1280 pixels the page uses"),
    (checks.width_faults, "</body>", "<div style='overflow-x: auto'><p style='width: 900px'>wide</p></div></body>", "scroll sideways"),
    (checks.picture_faults, "[4, undefined, 6]", "[4, undefined, 7]", "the plot doesn't have the points"),
    (checks.picture_faults, "[4, undefined, 6]", "[4, undefined, 6], []", "the plot has 2 series in place of 1"),
    (checks.picture_faults, "flopcastPlot =", "otherPlot =", "there is no plot"),
    (checks.picture_faults, "L1000.0 500.0", "L1000.0 510.0", "the line of 't' aren't"),
    (checks.picture_faults, 'd="M1000.0 500.0h0"', 'd=""', "the dots of 't' aren't"),
    (checks.picture_faults, "n 100, time 6", "n 100, time 7", "has the text"),
    (checks.picture_faults, '<g>\n<path class="line"', '<path class="line"', "curves in place of 1"),
    (checks.picture_faults, 'class="picture">{"kind": "bars"', 'class="image">{"kind": "bars"', "picture 2 has no values"),
    (checks.picture_faults, '<rect width="400"', '<rect width="500"', "of the longest one in length"),
    (checks.picture_faults, "b: 1 s", "b: 1.1 s", "the bar b of 1 has the text"),
    (checks.picture_faults, "<span>b</span>", "<span>c</span>", "the drawing has the bars"),
    (checks.picture_faults, 'height="8.5"', 'height="9.5"', "the strip a has"),
    (checks.table_faults, 'data-sort="0.003"', 'data-sort="3"', "column 2 isn't ascending"),
    (checks.table_faults, "down ? -1 : 1", "1", "column 1 isn't descending"),
    (checks.table_faults, "down ? \"descending\" : \"ascending\"", "\"ascending\"", "don't sort in both directions"),
    (checks.table_faults, "<button>time</button>", "<span>time</span>", "heading 2 can't be focused"),
    (checks.table_faults, "<button>time</button>", "<button onkeydown='return false'>time</button>", "Enter on heading 2 leaves"),
    (checks.table_faults, "heading.setAttribute", "heading.removeAttribute", "aria-sort of column 1 is None"),
    (checks.table_faults, 'headings.forEach(one => one.removeAttribute("aria-sort"));', "", "2 columns claim to be sorted"),
    (checks.table_faults, "body.append(", "body.rows[0].remove(); body.append(", "changes or hides rows"),
    (checks.table_faults, "row.hidden = ", "row.hidden = false && ", "the filter '"),
    (checks.table_faults, "event.target.value.toLowerCase());", "(event.target.value || 'a').toLowerCase());", "without filter rows are hidden"),
    (lambda browser: checks.document_faults(browser, [DOCUMENT]), "flopcast-test-1", "flopcast-test-2", "aren't the 1 of its files"),
    (checks.scheme_faults, "<h1>", "<h1 style='color: #999'>", "light: the contrast of H1"),
    (checks.scheme_faults, "<h1>", "<h1 style='color: #555'>", "dark: the contrast of H1"),
    (checks.scheme_faults, "getComputedStyle(document.body).color", "'#333'", "dark: the contrast of axis"),
    (checks.print_faults, "</style>", "@media print { body { display: none; } }</style>", "seems to be empty"),
    (checks.print_faults, "</style>", "@media print { thead { display: none; } }</style>", "a table has no headings in print"),
    (checks.print_faults, "</style>", "@media print { figure { width: 900px; } }</style>", "pixels wide in print"),
    (checks.scriptless_faults, "</style>", SCRIPTLESS.format("svg"), "without script picture 1 isn't seen"),
    (checks.scriptless_faults, "</style>", SCRIPTLESS.format("tr"), "without script table 1 isn't seen as a whole"),
]


def self_test(browser, folder):
    """Returns what is wrong with the checks: a fault of the good page, and one of a bad page that isn't found."""
    good = GOOD.read_text()
    wrong = [f"the good page: {fault}" for fault in checks.faults(browser, GOOD, [DOCUMENT])]
    for number, (check, old, new, fault) in enumerate(BAD):
        assert old in good, old
        page = folder / f"bad_{number}.html"
        page.write_text(good.replace(old, new))
        browser.open(page, has_script=check is not checks.scriptless_faults)
        found = list(check(browser))
        if not any(fault in one for one in found):
            wrong.append(f"the fault '{fault}' isn't found in a page with {new}; found: {found}")
    return wrong


def pages_of(program, documents, folder):
    """Makes a page of each document, and one of all; returns pairs of a page and its documents."""
    pages = []
    for name, files in [*((file.stem, [file]) for file in documents), ("all", documents)]:
        page = folder / f"{name}.html"
        subprocess.run([program, "report", *files, "--output", page, "--quiet"], check=True)
        pages.append((page, files))
    return pages


def save_screenshots(browser, page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for width in (400, 1280):
        for scheme in ("light", "dark"):
            browser.open(page, width, scheme)
            browser.save_screenshot(folder / f"{page.stem}_{width}_{scheme}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("documents", type=pathlib.Path)
    parser.add_argument("--plain", action="store_true", help="flopcast was built without the files that draw plots and sort tables")
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    documents = sorted(options.documents.glob("*.json"))
    if not documents:
        raise SystemExit(f"{options.documents} has no documents")
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        wrong = self_test(browser, folder)
        for page, files in pages_of(options.program, documents, folder):
            wrong += [f"{page.name}: {fault}" for fault in checks.faults(browser, page, [file.read_text() for file in files], options.plain)]
            if options.screenshots:
                save_screenshots(browser, page, options.screenshots)
    print("\n".join(wrong) or f"{len(BAD)} faults found in bad pages, and none in {len(documents) + 1} pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
