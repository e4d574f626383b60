"""Checks of a page of results. Each takes a Browser that has opened the page, and yields a sentence for each fault."""

import json
import math
import re

from selenium.webdriver.common.keys import Keys

WIDTHS = (400, 800, 1280, 1600)
LEAST_USED = 0.8       # part of the window's width that the page's widest block takes
LEAST_CONTRAST = 4.5   # of text and its background (WCAG 2.1, level AA)
LEAST_PDF = 5000       # bytes; a blank page has about 1000
A4_WIDTH = 718         # pixels of a CSS inch of 96, without margins of 1 cm
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
        browser.run("""
            return new Promise(done => {  // charts are drawn anew
              const start = performance.now();
              const look = () => document.scrollingElement.scrollWidth <= innerWidth || performance.now() - start > 1000
                ? done(true) : requestAnimationFrame(look);
              look();
            });""")
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
        const all = (element, selector, read) => [...element.querySelectorAll(selector)].map(read);
        const number = (element, name) => Number(element.getAttribute(name));
        return all(document, "figure", figure => ({
          json: figure.querySelector("script.picture")?.textContent,
          plot: figure.flopcastPlot && figure.flopcastPlot.data.map(column => [...column].map(value => value ?? null)),
          curves: all(figure, ".still svg:not(.leaders) > g", curve => ({line: curve.querySelector("path.line")?.getAttribute("d"),
            dots: all(curve, "path.dot", dot => dot.getAttribute("d")).join(""), texts: all(curve, "title", one => one.textContent)})),
          rows: all(figure, ".row", row => ({name: row.querySelector("span").textContent, groups: all(row, "svg g", group => ({
            text: group.querySelector("title").textContent,
            rectangles: all(group, "rect", one => [number(one, "width"), number(one, "height"), one.getAttribute("fill")])}))}))}));""")
    for number, shown in enumerate(pictures, 1):
        if shown["json"] is None:
            yield f"picture {number} has no values"
            continue
        picture = json.loads(shown["json"])
        check = {"figure": figure_faults, "bars": bar_faults, "strips": strip_faults}[picture["kind"]]
        for fault in check(picture, shown):
            yield f"picture {number} ({picture.get('title') or picture.get('caption')}): {fault}"


def plotted_points(picture, series):
    """Returns the points that have a place on the axes."""
    has_place = lambda axis, value: value is not None and math.isfinite(value) and (not picture[axis]["logarithmic"] or value > 0)
    return [(x, y) for x, y in zip(series["x"], series["y"]) if has_place("x", x) and has_place("y", y)]


def place_of(axis, value):
    """Returns the place of a value on an axis, 0 to 1000."""
    scale = math.log if axis["logarithmic"] else float
    low, high = map(scale, axis["range"])
    return 1000 * (scale(value) - low) / (high - low)


def figure_faults(picture, shown):
    drawn = [(series, points) for series in picture["series"] if (points := plotted_points(picture, series))]
    if len(shown["curves"]) != len(drawn):
        yield f"the drawing has {len(shown['curves'])} curves in place of {len(drawn)}"
    for (series, points), curve in zip(drawn, shown["curves"]):
        expected = [(place_of(picture["x"], x), 1000 - place_of(picture["y"], y)) for x, y in points]
        for kind, is_there in (("line", series["style"] != "points"), ("dots", series["style"] != "line")):
            places = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", curve.get(kind) or "")]
            if not close(places, expected if is_there else []):
                yield f"the {kind} of '{series['title']}' aren't at the places of its {len(points)} points"
        for (x, y), text in zip(points, curve["texts"]):
            if f" {x:.6g}, " not in text or f" {y:.6g}" not in text:
                yield f"the point {x:.6g}, {y:.6g} of '{series['title']}' has the text '{text}'"
    if not drawn:
        return
    if not shown["plot"]:
        yield "there is no plot"
        return
    xs, *columns = shown["plot"]
    if len(columns) != len(picture["series"]):
        yield f"the plot has {len(columns)} series in place of {len(picture['series'])}"
    for series, ys in zip(picture["series"], columns):
        if sorted((x, y) for x, y in zip(xs, ys) if y is not None) != sorted(plotted_points(picture, series)):
            yield f"the plot doesn't have the points of '{series['title']}'"


def close(places, expected):
    return len(places) == len(expected) and all(abs(a - b) < 0.2 for one, other in zip(places, expected) for a, b in zip(one, other))


def bar_faults(picture, shown):
    bars = picture["bars"]
    if [row["name"] for row in shown["rows"]] != [bar["label"] for bar in bars]:
        yield f"the drawing has the bars {[row['name'] for row in shown['rows']]}"
        return
    widths = [row["groups"][0]["rectangles"][0][0] for row in shown["rows"]]
    largest = max((bar["value"] for bar in bars), default=0)
    for bar, width, row in zip(bars, widths, shown["rows"]):
        if largest > 0 and abs(width / max(widths) - bar["value"] / largest) > 0.002:
            yield f"the bar {bar['label']} is {width / max(widths):.3f} of the longest one in length, and {bar['value'] / largest:.3f} in value"
        if f": {bar['value']:.6g} " not in row["groups"][0]["text"]:
            yield f"the bar {bar['label']} of {bar['value']:.6g} has the text '{row['groups'][0]['text']}'"


def strip_faults(picture, shown):
    whole = 34  # height of a strip
    for strip, row in zip(picture["strips"], shown["rows"], strict=True):
        drawn = [(height,) for group in row["groups"] for _, height, fill in group["rectangles"] if fill.startswith("var(--c")]
        expected = []
        for parts in strip["bins"]:
            room = 1
            for part in parts:
                if min(part, room) * whole > 0.05:
                    expected.append((min(part, room) * whole,))
                    room -= min(part, room)
        if not close(drawn, expected):
            yield f"the strip {strip['label']} has {len(drawn)} parts in place of {len(expected)}, or others"


PREFIXES = {"": 1, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
            "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(?:(Ki|Mi|Gi|Ti|[nuµmkKMGT]?)(s|B|B/s|flop/s|FLOP/s|Hz|flop)|(min|h)|%)?(?: \*)?")


def shown_number(text):
    """Returns the value of a cell's text such as "3.2 ms" in the base unit; nothing if the text is no number."""
    match = NUMBER.fullmatch(text.strip())
    if not match:
        return None
    return float(match.group(1)) * PREFIXES[match.group(2) or ""] * {"min": 60, "h": 3600}.get(match.group(4), 1)


# Functions of JavaScript for the scripts below. Tables may sort in a task of their own, which is over once a later one begins.
TABLES = """
    const rows_of = table => [...table.tBodies[0].rows].filter(row => row.getBoundingClientRect().height > 0)
      .map(row => [...row.cells].map(cell => cell.textContent));
    const keys_of = (table, column) => [...table.tBodies[0].rows].map(row => row.cells[column].dataset.sort ?? row.cells[column].textContent);
    const headings_of = table => [...table.tHead.rows[0].cells];
    const button_of = heading => heading.querySelector("button") ?? heading;
    const is_local_order = (keys, sign) => keys.every((key, i) => i === 0 || sign * keys[i - 1].localeCompare(key) <= 0);
    const state_of = async (table, column) => {
      await new Promise(done => setTimeout(done, 10));
      const keys = keys_of(table, column), direction = headings_of(table)[column].getAttribute("aria-sort");
      return {direction, keys, rows: rows_of(table), sorted: headings_of(table).filter(one => /ending/.test(one.getAttribute("aria-sort"))).length,
              local: is_local_order(keys.filter(key => key.trim()), direction === "ascending" ? 1 : -1)};
    };"""


def is_ascending(cells, keys, is_local_order):
    """Returns whether cells ascend: by the numbers that they show, else by numbers that they are sorted by, else as texts. Blank ones may
    stand anywhere."""
    pairs = [(cell, key) for cell, key in zip(cells, keys) if cell.strip() not in ("", "-")]
    for numbers in ([shown_number(cell) for cell, _ in pairs], [shown_number(key) for _, key in pairs]):
        if None not in numbers:
            return all(before <= after for before, after in zip(numbers, numbers[1:]))
    return is_local_order


def table_faults(browser):
    """Tables sort by a click and by the keyboard, show it to screen readers, and filter."""
    for number, table in enumerate(browser.find("table:has(thead):not([data-mixed])"), 1):
        before = browser.run(TABLES + "return rows_of(arguments[0]);", table)
        if len(before) > 1:
            for fault in [*clicking_faults(browser, table, before), *keyboard_faults(browser, table, before), *filter_faults(browser, table, before)]:
                yield f"table {number}: {fault}"


def clicking_faults(browser, table, before):
    columns = browser.run(TABLES + """
        const table = arguments[0];
        return (async () => {
          const states = [];
          for (let column = 0; column < headings_of(table).length; ++column) {
            states.push([]);
            for (const click of [1, 2]) {
              button_of(headings_of(table)[column]).click();
              states[column].push(await state_of(table, column));
            }
          }
          return states;
        })();""", table)
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
    elif not is_ascending(*((one if state["direction"] == "ascending" else one[::-1]) for one in (cells, state["keys"])), state["local"]):
        yield f"after {way} column {column + 1} isn't {state['direction']}: {cells[:6]}"
    if state["sorted"] > 1:
        yield f"after {way} {state['sorted']} columns claim to be sorted"


def filter_faults(browser, table, before):
    words = [word for row in before for cell in row for word in cell.split()]
    holds = lambda row, word: word.casefold() in "".join(row).casefold()
    chosen = next((word for word in words if not all(holds(row, word) for row in before)), None)
    if chosen is None:
        return
    shown = browser.run(TABLES + """
        const [table, text] = arguments, input = table.parentElement.previousElementSibling?.querySelector("input");
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
    """The page prints on A4, with all of its pictures and with tables as tables."""
    pdf = browser.printed()
    if not pdf.startswith(b"%PDF") or len(pdf) < LEAST_PDF:
        yield f"the print has {len(pdf)} bytes and seems to be empty"
    browser.set_width(A4_WIDTH)
    browser.command("Emulation.setEmulatedMedia", media="print")
    for picture, width in browser.run("""
        const right = one => Math.max(...[one, ...one.querySelectorAll("*")].map(part => part.getBoundingClientRect().right));
        return [...document.querySelectorAll("figure")].map((one, i) => [i + 1, right(one)]);"""):
        if width > A4_WIDTH + 1:
            yield f"picture {picture} is {width:.0f} pixels wide in print, and the paper {A4_WIDTH}"
    if browser.run('return [...document.querySelectorAll("thead")].some(one => getComputedStyle(one).display !== "table-header-group")'):
        yield "a table has no headings in print"
    browser.command("Emulation.setEmulatedMedia", media="")


def scriptless_faults(browser):
    """The page was opened without script: pictures and tables are seen."""
    hidden = browser.run("""
        const is_seen = one => one.checkVisibility() && one.getBoundingClientRect().width > 0 && one.getBoundingClientRect().height > 0;
        const faults = [];
        document.querySelectorAll("figure").forEach((figure, i) => {
          if (![...figure.querySelectorAll("svg")].some(is_seen)) faults.push(`picture ${i + 1} isn't seen`);
        });
        document.querySelectorAll("table:has(thead)").forEach((table, i) => {
          if (!table.closest("details") && ![table, ...table.tBodies[0].rows].every(is_seen)) faults.push(`table ${i + 1} isn't seen as a whole`);
        });
        return faults;""")
    for fault in hidden:
        yield f"without script {fault}"


def scheme_faults(browser):
    return [*contrast_faults(browser, "light"), *contrast_faults(browser, "dark")]


CHECKS = (loading_faults, picture_faults, print_faults, scheme_faults, width_faults)


def faults(browser, page, documents, is_plain=False):
    """Returns all faults of the page in the file `page`, which was made from the texts of `documents`. A plain page has SVG in place of plots, and
    tables that don't sort: flopcast was built without the files that scripts/fetch_page_assets fetches."""
    browser.open(page)
    found = [fault for check in CHECKS if not (is_plain and check is picture_faults) for fault in check(browser)] + list(document_faults(browser, documents))
    browser.set_width(1280)
    found += [*(() if is_plain else table_faults(browser)), *loading_faults(browser)]  # nothing goes wrong in what a reader does, either
    browser.open(page, has_script=False)
    return found + list(scriptless_faults(browser))
