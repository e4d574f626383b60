"""Pictures of boxes and arrows as SVG, in light and dark by the reader's prefers-color-scheme."""

import pathlib
import sys
from xml.sax.saxutils import escape

FIGURES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "figures"
# name: filling in light and in dark
KINDS = {"paper": ("#ffffff", "#1e2129"), "blue": ("#dfe7f1", "#2c3b52"), "green": ("#dcebd7", "#2b4531"), "sand": ("#f3e0c8", "#4f4023"),
         "rose": ("#efd9dd", "#52323b")}


def style():
    """The style sheet: dark colours replace the light ones."""
    light, dark = ("".join(f".{kind}{{fill:{fills[mode]}}}" for kind, fills in KINDS.items()) for mode in (0, 1))
    return ("<style>rect{stroke:#777777}rect.paper{stroke:none}text{fill:#1c1e21}.dim{fill:#555555}.arrow{fill:none;stroke:#555555;stroke-width:1.5}"
            f".head{{fill:#555555}}{light}@media(prefers-color-scheme:dark){{rect{{stroke:#8b9097}}text{{fill:#e4e6e9}}.dim{{fill:#b0b6bd}}"
            f".arrow{{stroke:#b0b6bd}}.head{{fill:#b0b6bd}}{dark}}}</style>")


class Drawing:
    """A picture of `width` times `height` pixels, whose `title` says in words what it shows."""

    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                      f'font-family="sans-serif" font-size="14" role="img"><title>{escape(title)}</title>{style()}',
                      '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                      '<path class="head" d="M0,0L8,4L0,8z"/></marker>', f'<rect class="paper" width="{width}" height="{height}"/>']

    def text(self, x, y, text, dim=False, size=14, anchor="start", weight="normal"):
        attributes = {"class": "dim" if dim else "", "font-size": "" if size == 14 else size, "text-anchor": "" if anchor == "start" else anchor,
                      "font-weight": "" if weight == "normal" else weight}
        words = "".join(f' {name}="{value}"' for name, value in attributes.items() if value)
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{words}>{escape(text)}</text>')

    def box(self, x, y, width, height, lines, kind="blue", size=14):
        """A box with lines of text in its middle; the first of several is bold."""
        self.parts.append(f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{height:g}" rx="4" class="{kind}"/>')
        top = y + height / 2 - 9 * (len(lines) - 1) + 5
        for number, line in enumerate(lines):
            self.text(round(x + width / 2, 1), top + 18 * number, line, size=size, anchor="middle",
                      weight="bold" if number == 0 and len(lines) > 1 else "normal")

    def arrow(self, *points, head=True):
        """A line through points (x, y) with a head at its end."""
        path = "M" + "L".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<path class="arrow" d="{path}"' + (' marker-end="url(#head)"/>' if head else "/>"))

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


def write_or_check(drawn, source):
    """Writes pictures by name into docs/figures. With --check it compares them instead, and returns 1 if one isn't what `source` says."""
    script = pathlib.Path(sys.argv[0]).name
    old = [name for name, svg in drawn.items() if not (FIGURES / name).exists() or (FIGURES / name).read_text() != svg]
    if sys.argv[1:] != ["--check"]:
        for name in old:
            (FIGURES / name).write_text(drawn[name])
        return 0
    for name in old:
        print(f"{script}: docs/figures/{name} is older than {source}; run scripts/{script}")
    if not old:
        print(f"{script}: {', '.join(drawn)} show {source}")
    return 1 if old else 0
