#!/usr/bin/env python3
"""Draws how flopcast's contractions compare with TBLIS, NumPy, opt_einsum and cotengra.

  bench/beside_others.py journal/2026-11-27-contractions-beside-others.md docs/figures/contractions_beside_others.svg

The file has the tables that `bench/networks.py` and `bench/contractions.py planner --random` print. The first table of the planner is taken, which is
that of one thread."""
import argparse
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "paper"))
import chart
from entry import Chart


def rows_of(text, title):
    """Returns the rows, as dictionaries, of the first table with a column of this title."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if title in cells(line))
    rows = []
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(cells(lines[first]), cells(line))))
    return rows


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def sorted_line(name, ratios):
    """Returns the ratios that are finite, by falling size over the share of cases in %."""
    ratios = sorted((ratio for ratio in ratios if ratio != float("inf")), reverse=True)
    return name, [100 * (i + 0.5) / len(ratios) for i in range(len(ratios))], ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    options = parser.parse_args()
    text = options.tables.read_text()
    pairs, networks = rows_of(text, "planner, measure"), rows_of(text, "cotengra / flopcast")
    series = [sorted_line(name, [float(row["planner, measure"]) / float(row[column]) for row in pairs])
              for name, column in (("NumPy", "einsum"), ("TBLIS", "TBLIS"))]
    series += [sorted_line(f"order of {name}", [float(row[f"{name} / flopcast"]) for row in networks])
               for name in ("opt_einsum", "cotengra")]
    series.append(("equally fast", [0, 100], [1, 1]))
    chart.draw(Chart("Speed of flopcast over that of others, one thread", "cases in %, from the best", "times as fast, large is good", series, log="y"), options.picture)


if __name__ == "__main__":
    main()
