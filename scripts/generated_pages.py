"""Lists the pages of Doxygen and pydoc in the menu of the site. A hook of mkdocs, whose configuration can name pages of docs/ only."""

from mkdocs.structure.nav import Link

PAGES = {
    "C++ and C, by Doxygen": "api/index.html",
    "Python, by pydoc": "python/flopcast.html",
    "Python and MPI, by pydoc": "python/flopcast.mpi.html",
}


def on_nav(nav, config, files):
    """Adds PAGES to the section "Reference" of the menu."""
    section = next(item for item in nav.items if item.title == "Reference")
    for title, url in PAGES.items():
        link = Link(title, url)
        link.parent = section
        section.children.append(link)
    return nav
