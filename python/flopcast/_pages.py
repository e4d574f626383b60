"""Documents that pages embed."""

from __future__ import annotations

from html.parser import HTMLParser

from ._errors import InputError


class _Reader(HTMLParser):
    """Collects the texts of the elements that hold documents."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: list[str] = []
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = tag == "script" and dict(attrs).get("class") == "document"
        if self._is_inside:
            self.documents.append("")

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.documents[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = False


def embedded_documents(page: str) -> list[str]:
    """Returns the documents (JSON) in a page of flopcast. Raises InputError if there are none, or the page is cut off."""
    if not page.rstrip().endswith("</html>"):
        raise InputError("the page is cut off: it doesn't end with </html>")
    reader = _Reader()
    reader.feed(page)
    reader.close()
    if not reader.documents:
        raise InputError("this is no page of flopcast: it embeds no document")
    return reader.documents
