"""Checks of a page of results. Each takes a Browser that has opened the page, and yields a sentence for each fault."""

import json
import math
import re

from selenium.webdriver.common.keys import Keys

WIDTHS = (400, 800, 1280, 1600)
LEAST_USED = 0.8       # part of the window's width that the page's widest block takes
LEAST_CONTRAST = 4.5   # of text and its background (WCAG 2.1, level AA)
LEAST_PDF = 5000       # bytes; a blank page has about 1000
ROWS_TO_FILTER = 8     # a longer table has a filter


def loading_faults(browser):
    """Nothing is on the console, nothing is loaded, and no name of the document is executed."""
    for message in browser.console():
        yield f"console: {message}"
    for url in browser.requests():
        yield f"the page asks for {url[:200]}"
    if browser.run("return window.flopcastExecuted !== undefined"):
        yield "a text of the document was executed"


def width_faults(browser):
    """The page fits windows of all widths, and uses them."""
    for width in WIDTHS:
        browser.set_width(width)
        shown = browser.run("""
            const root = document.scrollingElement;
            const blocks = [...document.body.querySelectorAll("*")].map(one => one.getBoundingClientRect().width);
            const scrolled = [...document.querySelectorAll("*")].filter(
              one => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1);
            return {scroll: root.scrollWidth, inner: innerWidth, widest: Math.max(0, ...blocks),
                    scrolled: scrolled.map(one => one.tagName + " " + (one.className.baseVal ?? one.className))};""")
        if shown["scroll"] > shown["inner"]:
            yield f"at {width} pixels the page is {shown['scroll']} pixels wide"
        if shown["widest"] < LEAST_USED * width:
            yield f"at {width} pixels the page uses {shown['widest']:.0f} pixels only"
        if width == min(WIDTHS) and shown["scrolled"]:
            yield f"at {width} pixels parts of the page scroll sideways: {', '.join(shown['scrolled'])}"


def picture_faults(browser):
    """Each picture shows the values of its JSON: the plot of the script, and the drawing that readers without script see."""
    pictures = browser.run("""
        const plots_of = figure => [figure, ...figure.querySelectorAll("*")].filter(one => one.flopcastPlot).map(one => one.flopcastPlot);
        return [...document.querySelectorAll("script.picture")].map(script => {
          const figure = script.closest("figure") ?? script.parentElement;
          const numbers = data => data.map(one => Array.isArray(one) || ArrayBuffer.isView(one) ? numbers([...one]) : one);
          return {json: script.textContent, plots: plots_of(figure).map(plot => numbers([...plot.data])),
                  marks: [...figure.querySelectorAll("svg [data-value]")].map(one => [one.tagName, one.dataset.value,
                    one.getBBox().width, one.getBBox().height])};
        });""")
    for number, shown in enumerate(pictures, 1):
        picture = json.loads(shown["json"])
        check = {"figure": figure_faults, "bars": bar_faults, "strips": strip_faults}[picture["kind"]]
        for fault in check(picture, shown):
            yield f"picture {number} ({picture.get('title') or picture.get('caption')}): {fault}"


def finite_points(xs, ys):
    """Returns the points of which both values are finite numbers, in ascending order."""
    return sorted((x, y) for x, y in zip(xs, ys) if x is not None and y is not None and math.isfinite(x) and math.isfinite(y))


def plotted_series(data):
    """Returns the points of each series of a plot, whose series have either the same x or each an own one."""
    if data and data[0] and not isinstance(data[0][0], list) and not (data[1:] and data[1] and isinstance(data[1][0], list)):
        return [finite_points(data[0], ys) for ys in data[1:]]
    return [finite_points(series[0], series[1]) for series in data if series]


def figure_faults(picture, shown):
    expected = [finite_points(series["x"], series["y"]) for series in picture["series"]]
    if len(shown["plots"]) != 1:
        yield f"{len(shown['plots'])} plots in place of one"
    for plot in shown["plots"]:
        plotted = plotted_series(plot)
        for series, points in zip(picture["series"], expected):
            if points in plotted:
                plotted.remove(points)
            else:
                yield f"the plot doesn't have the points of '{series['title']}'"
    drawn = len(shown["marks"])
    if drawn != sum(map(len, expected)):
        yield f"the drawing has {drawn} points in place of {sum(map(len, expected))}"


def bar_faults(picture, shown):
    values = [bar["value"] for bar in picture["bars"]]
    drawn = [float(value) for _, value, _, _ in shown["marks"]]
    if drawn != values:
        yield f"the drawing has the values {drawn} in place of {values}"
        return
    largest = max(values, default=0)
    for value, (_, _, width, _) in zip(values, shown["marks"]):
        longest = max(mark[2] for mark in shown["marks"])
        if largest > 0 and abs(width / longest - value / largest) > 0.02:
            yield f"the bar of {value} is {width / longest:.3f} of the longest one in length"


def strip_faults(picture, shown):
    parts = [part for row in picture["strips"] for of_bin in row["bins"] for part in of_bin if part > 0.002]
    drawn = [float(value) for _, value, _, _ in shown["marks"] if float(value) > 0.002]
    if sorted(drawn) != sorted(parts):
        yield f"the drawing has {len(drawn)} parts of bins in place of {len(parts)}, or others"


PREFIXES = {"": 1, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
            "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(?:(Ki|Mi|Gi|Ti|[nuµmkKMGT]?)(s|B|B/s|flop/s|FLOP/s|Hz|flop)|(min|h)|%)?(?: \*)?")


def shown_number(text):
    """Returns the value of a cell's text such as "3.2 ms" in the base unit; nothing if the text is no number."""
    match = NUMBER.fullmatch(text.strip())
    if not match:
        return None
    return float(match.group(1)) * PREFIXES[match.group(2) or ""] * {"min": 60, "h": 3600}.get(match.group(4), 1)


# Functions of JavaScript for the scripts below.
TABLES = """
    const rows_of = table => [...table.tBodies[0].rows].filter(row => row.getBoundingClientRect().height > 0)
      .map(row => [...row.cells].map(cell => cell.textContent));
    const headings_of = table => [...table.tHead.rows[0].cells];
    const button_of = heading => heading.querySelector("button") ?? heading;
    const state_of = (table, column) => ({direction: headings_of(table)[column].getAttribute("aria-sort"), rows: rows_of(table),
      sorted: headings_of(table).filter(one => /ending/.test(one.getAttribute("aria-sort"))).length});"""


def is_ascending(cells):
    """Returns whether texts ascend: as numbers if all of them are numbers. Blank ones may stand anywhere."""
    texts = [text for text in cells if text.strip() not in ("", "-")]
    numbers = [shown_number(text) for text in texts]
    keys = numbers if None not in numbers else [text.casefold() for text in texts]
    return all(before <= after for before, after in zip(keys, keys[1:]))


def table_faults(browser):
    """Tables sort by a click and by the keyboard, show it to screen readers, and filter."""
    for number, table in enumerate(browser.find("table"), 1):
        before = browser.run(TABLES + "return rows_of(arguments[0]);", table)
        if len(before) > 1:
            for fault in [*clicking_faults(browser, table, before), *keyboard_faults(browser, table, before), *filter_faults(browser, table, before)]:
                yield f"table {number}: {fault}"


def clicking_faults(browser, table, before):
    columns = browser.run(TABLES + """
        return headings_of(arguments[0]).map((heading, column) => [1, 2].map(() => {
          button_of(heading).click();
          return state_of(arguments[0], column);
        }));""", table)
    for column, states in enumerate(columns):
        for state in states:
            yield from order_faults(state, column, before, "a click")
        if {state["direction"] for state in states} != {"ascending", "descending"}:
            yield f"two clicks on heading {column + 1} don't sort in both directions"


def keyboard_faults(browser, table, before):
    reached = browser.run(TABLES + """
        return headings_of(arguments[0]).map(heading => {
          button_of(heading).focus();
          return document.activeElement === button_of(heading);
        });""", table)
    if not all(reached):
        yield f"heading {reached.index(False) + 1} can't be focused"
        return
    last = len(reached) - 1
    was = browser.run(TABLES + "return state_of(arguments[0], arguments[1]);", table, last)
    browser.find("thead th button, thead th[tabindex]", table)[last].send_keys(Keys.ENTER)
    state = browser.run(TABLES + "return state_of(arguments[0], arguments[1]);", table, last)
    yield from order_faults(state, last, before, "Enter")
    if state["direction"] == was["direction"]:
        yield f"Enter on heading {last + 1} leaves the order as it was"


def order_faults(state, column, before, way):
    cells = [row[column] for row in state["rows"]]
    if state["direction"] not in ("ascending", "descending"):
        yield f"after {way} aria-sort of column {column + 1} is {state['direction']}"
    elif sorted(state["rows"]) != sorted(before):
        yield f"{way} changes or hides rows"
    elif not is_ascending(cells if state["direction"] == "ascending" else cells[::-1]):
        yield f"after {way} column {column + 1} isn't {state['direction']}: {cells[:6]}"
    if state["sorted"] > 1:
        yield f"after {way} {state['sorted']} columns claim to be sorted"


def filter_faults(browser, table, before):
    texts = [text for row in before for text in row if text.strip()]
    holds = lambda row, text: any(text.casefold() in cell.casefold() for cell in row)
    chosen = next((text for text in texts if not all(holds(row, text) for row in before)), None)
    if chosen is None:
        return
    shown = browser.run(TABLES + """
        const [table, text] = arguments, input = (table.closest(".table") ?? table.parentElement).querySelector("input");
        return input && [text, ""].map(one => {
          input.value = one;
          input.dispatchEvent(new Event("input", {bubbles: true}));
          return rows_of(table);
        });""", table, chosen)
    if shown is None:
        if len(before) > ROWS_TO_FILTER:
            yield "a long table has no filter"
        return
    filtered, all_rows = shown
    if sorted(filtered) != sorted(row for row in before if holds(row, chosen)):
        yield f"the filter '{chosen}' shows {len(filtered)} of {len(before)} rows"
    if len(all_rows) != len(before):
        yield "without filter rows are hidden"


def document_faults(browser, documents):
    """The page embeds these texts of documents, in this order."""
    embedded = browser.run('return [...document.querySelectorAll("script.document")].map(one => one.textContent)')
    if [json.loads(text) for text in embedded] != [json.loads(text) for text in documents]:
        yield f"the page embeds {len(embedded)} documents, which aren't the {len(documents)} of its files"


def contrast_faults(browser, scheme):
    """All texts are seen well, also those of a plot's axes."""
    browser.set_scheme(scheme)
    faint = browser.run("""
        const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
        const channels = text => {
          canvas.clearRect(0, 0, 1, 1);
          canvas.fillStyle = text;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
          return [r, g, b, a / 255];
        };
        const over = (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3]));
        const background = element => {
          const layers = [];
          for (let one = element; one; one = one.parentElement) layers.push(channels(getComputedStyle(one).backgroundColor));
          const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
          return layers.reverse().reduce((back, front) => over(front, back), paper);
        };
        const luminance = rgb => {
          const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (colour, element) => {
          const back = background(element);
          const [low, high] = [luminance(over(channels(colour), back)), luminance(back)].sort((a, b) => a - b);
          return (high + 0.05) / (low + 0.05);
        };
        const found = [];
        const has_text = one => [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
        for (const one of document.body.querySelectorAll("*")) {
          if (!has_text(one) || !one.checkVisibility() || one.getBoundingClientRect().width === 0) continue;
          const style = getComputedStyle(one);
          found.push([contrast(one instanceof SVGElement ? style.fill : style.color, one), one.tagName, one.textContent.trim().slice(0, 40)]);
        }
        for (const one of document.querySelectorAll("*")) {
          for (const axis of one.flopcastPlot?.axes ?? []) {
            const colour = typeof axis.stroke === "function" ? axis.stroke(one.flopcastPlot, 0) : axis.stroke;
            found.push([contrast(colour ?? "black", one), "axis", axis.label ?? ""]);
          }
        }
        return found.filter(([ratio]) => ratio < arguments[0]);""", LEAST_CONTRAST)
    for ratio, element, text in faint:
        yield f"{scheme}: the contrast of {element} '{text}' is {ratio:.2f}"


def print_faults(browser):
    """The page prints."""
    pdf = browser.printed()
    if not pdf.startswith(b"%PDF") or len(pdf) < LEAST_PDF:
        yield f"the print has {len(pdf)} bytes and seems to be empty"


def scriptless_faults(browser):
    """The page was opened without script: pictures and tables are seen."""
    hidden = browser.run("""
        const is_seen = one => one.checkVisibility() && one.getBoundingClientRect().width > 0 && one.getBoundingClientRect().height > 0;
        const faults = [];
        document.querySelectorAll("script.picture").forEach((script, i) => {
          const drawings = [...(script.closest("figure") ?? script.parentElement).querySelectorAll("svg")];
          if (!drawings.some(is_seen)) faults.push(`picture ${i + 1} isn't seen`);
        });
        document.querySelectorAll("table").forEach((table, i) => {
          if (![table, ...table.tBodies[0].rows].every(is_seen)) faults.push(`table ${i + 1} isn't seen as a whole`);
        });
        return faults;""")
    for fault in hidden:
        yield f"without script {fault}"


def scheme_faults(browser):
    return [*contrast_faults(browser, "light"), *contrast_faults(browser, "dark")]


CHECKS = (loading_faults, picture_faults, print_faults, scheme_faults, width_faults)


def faults(browser, page, documents):
    """Returns all faults of the page in the file `page`, which was made from the texts of `documents`."""
    browser.open(page)
    found = [fault for check in CHECKS for fault in check(browser)] + list(document_faults(browser, documents))
    browser.set_width(1280)
    found += [*table_faults(browser), *loading_faults(browser)]  # nothing goes wrong in what a reader does, either
    browser.open(page, has_script=False)
    return found + list(scriptless_faults(browser))
