"""A hook of mkdocs: the site has the sources of the examples in examples/, and links into that folder lead there."""

import pathlib

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent


def on_files(files, config):
    for path in (ROOT / "examples").rglob("*.[cfhp]*"):
        files.append(File(path.relative_to(ROOT).as_posix(), ROOT, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    return markdown.replace("](../../examples/", "](../examples/")
