"""The parts of the book: papers, entries, rows of numbers, and charts."""
import dataclasses


@dataclasses.dataclass
class Row:
    """A number of the paper beside the same number of this machine. `agrees` is the verdict, None where the paper has no number."""
    quantity: str
    paper: str
    ours: str
    agrees: bool | None


@dataclasses.dataclass
class Chart:
    """Lines over a common axis. `series` has a name, the x values and the y values of each line."""
    title: str
    x: str
    y: str
    series: list
    log: str = ""  # the logarithmic axes: "", "x", "y" or "xy"
    points: bool = False  # points instead of lines
    names: tuple = ()  # of the x values 0, 1, 2, ...


@dataclasses.dataclass
class Entry:
    """A figure or table of a paper. `commands` are templates. Their places such as {n} are filled from `full` or `short`. The book fills {bin}, the
    folder of the programs, {form}, {picture}, the entry's picture, and {folder}, a folder for `files`. A command with {each} runs for every
    value of the form's list `each`. `read` takes the commands' documents by name (a list of them with {each}) and the form's values, and returns
    rows and a chart; no chart if a command draws the picture. Entries with equal commands share their outputs. `minutes` are those of both forms."""
    name: str
    title: str
    shows: str
    commands: dict
    read: callable
    full: dict
    short: dict
    minutes: tuple
    why: str
    files: dict = dataclasses.field(default_factory=dict)
    aliases: tuple = ()
    picture: str = ""  # place of the picture, if not the entry's own
    paper: object = None


@dataclasses.dataclass
class Paper:
    key: str
    authors: str
    title: str
    year: int
    entries: list
    left_out: str = ""  # figures and tables that have no entry, and why

    def __post_init__(self):
        for entry in self.entries:
            entry.paper = self

    def cited(self):
        return f"{self.authors}, {self.title}, {self.year}"


def rounded(value):
    return float(f"{value:.4g}")


def number(value, unit):
    digits = f"{value:.4g}" if rounded(abs(value)) < 1000 else f"{rounded(value):,.0f}"
    return f"{digits} {unit}".strip()


def at_least(quantity, paper, ours, unit="%"):
    """A row whose quantity is good if large."""
    return Row(quantity, number(paper, unit), number(ours, unit), rounded(ours) >= paper)


def at_most(quantity, paper, ours, unit="%"):
    """A row whose quantity is good if small."""
    return Row(quantity, number(paper, unit), number(ours, unit), rounded(ours) <= paper)


def alike(quantity, paper, ours, unit="%", factor=2.0):
    """A row whose quantity is neither good nor bad, and agrees within `factor`."""
    return Row(quantity, number(paper, unit), number(ours, unit), paper / factor <= ours <= paper * factor)


def claim(quantity, paper, ours, agrees):
    """A row of words, which the entry judges itself."""
    return Row(quantity, paper, ours, bool(agrees))


def extra(quantity, ours):
    """A row of flopcast's own, without a number of the paper."""
    return Row(quantity, "-", ours, None)


def table_of(text):
    """Returns the rows of the first Markdown table in `text` as dictionaries by heading. Throws ValueError if there is none."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    if len(lines) < 3:
        raise ValueError("the output has no table")
    return [dict(zip(lines[0], line)) for line in lines[2:] if len(line) == len(lines[0])]


SCALES = {"s": 1, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600, "%": 1, "GFLOP/s": 1, "MFLOP/s": 1e-3, "TFLOP/s": 1e3,
          "GB/s": 1, "MB/s": 1e-3, "x": 1, "": 1}


def value_of(cell):
    """Returns the number of a table's cell in the base of its unit: seconds, percent, Gflop/s."""
    digits = cell.split()[0].replace(",", "").rstrip("x%")
    unit = cell[len(cell.split()[0]):].strip()
    return float(digits) * SCALES[unit.split(" (")[0]]
