"""Draws the charts of the book as SVG through gnuplot, in the colours of flopcast's own pictures."""
import math
import shutil
import subprocess

COLORS = ["#7a2fb3", "#007a57", "#1d6fab", "#985900", "#b3477d", "#0a4f8f", "#c42b1e", "#1c1e21", "#8b4513", "#556b2f"]

DARK = "<style>@media (prefers-color-scheme: dark) { #gnuplot_canvas { filter: invert(0.9) hue-rotate(180deg); } }</style>\n\n"  # as flopcast's pictures


def quoted(text):
    return "'" + text.replace("'", "''").replace("\n", " ") + "'"


def subject_of(name):
    return name.removesuffix(" predicted").removesuffix(" measured")


def range_of(values, logarithmic):
    """Returns the range of an axis: that of the values with a twentieth more at both ends."""
    values = [value for value in values if math.isfinite(value) and (value > 0 or not logarithmic)] or [1]
    low, high = min(values), max(values)
    if logarithmic:
        space = max((high / low) ** 0.05, 1.05)
        return f"[{low / space:.6g}:{high * space:.6g}]"
    space = 0.05 * (high - low) or 1
    return f"[{low - space:.6g}:{high + space:.6g}]"


def script_of(chart):
    """Returns the gnuplot program that draws the chart, data included. Series "NAME predicted" and "NAME measured" share a colour, the first is
    dashed. A series "exact" is a line among points."""
    lines = ["set terminal svg size 720,360 noenhanced font 'Sans,12' background rgb 'white'", f"set title {quoted(chart.title)}", "set key outside right top",
             f"set xlabel {quoted(chart.x)}", f"set ylabel {quoted(chart.y)}", "set border 3", "set tics nomirror"]
    lines += [f"set logscale {chart.log}"] if chart.log else []
    lines += [f"set {axis}range {range_of([value for one in chart.series for value in one[at]], axis in chart.log)}" for axis, at in (("x", 1), ("y", 2))]
    lines += ["set xtics (" + ", ".join(f"{quoted(name)} {i}" for i, name in enumerate(chart.names)) + ") rotate by -30"] if chart.names else []
    lines += [f"set linetype {i + 1} linecolor rgb '{color}'" for i, color in enumerate(COLORS)]
    for i, (_, xs, ys) in enumerate(chart.series):
        lines += [f"$data{i} << END", *(f"{x} {y}" for x, y in zip(xs, ys)), "END"]
    style = "points pointtype 7 pointsize 0.7" if chart.points else "linespoints pointtype 7 pointsize 0.4"
    subjects = list(dict.fromkeys(subject_of(name) for name, _, _ in chart.series))
    plots = []
    for i, (name, _, _) in enumerate(chart.series):
        dashed = " dashtype 2" if name.endswith(" predicted") else ""
        plots.append(f"$data{i} with {'lines' if name == 'exact' else style} linetype {subjects.index(subject_of(name)) % len(COLORS) + 1}{dashed} title {quoted(name)}")
    return "\n".join([*lines, "plot " + ", ".join(plots), ""])


def draw(chart, path):
    """Draws the chart into `path`; returns False where gnuplot is missing."""
    if not shutil.which("gnuplot"):
        return False
    drawn = subprocess.run(["gnuplot"], input=script_of(chart), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    path.write_text(drawn.stdout.replace('<g id="gnuplot_canvas"', DARK + '<g id="gnuplot_canvas"', 1))
    return True
