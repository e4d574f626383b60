"""Hooks of mkdocs for what its configuration can't say: files of the site that lie outside of docs/."""

import pathlib

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

ROOT = pathlib.Path(__file__).resolve().parent.parent
GENERATED = {
    "C++ and C, by Doxygen": "api/index.html",
    "Python, by pydoc": "python/flopcast.html",
    "Python and MPI, by pydoc": "python/flopcast.mpi.html",
}


def on_nav(nav, config, files):
    """Adds the pages of Doxygen and pydoc to the section "Reference" of the menu."""
    section = next(item for item in nav.items if item.title == "Reference")
    for title, url in GENERATED.items():
        link = Link(title, url)
        link.parent = section
        section.children.append(link)
    return nav


def on_files(files, config):
    """Adds the sources of the examples."""
    for path in (ROOT / "examples").rglob("*.[cfhp]*"):
        files.append(File(path.relative_to(ROOT).as_posix(), ROOT, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    """Lets links into the folder of the examples lead to their sources on the site."""
    return markdown.replace("](../../examples/", "](../examples/")
