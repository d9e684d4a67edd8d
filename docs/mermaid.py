"""Puts the script that draws Mermaid diagrams into the site, so that no page asks another host for it.

A hook of mkdocs. The theme would fetch the script from elsewhere when a page is read; a page that has a diagram gets it
from beside itself instead. It is taken from npm once, in the version below, and kept in the user's cache.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

VERSION = "11.17.2"
INTEGRITY = "V6K3C8EBdEsPFZXSKMJe6ppQOENxuHARr9GvHX4hh47lAbhMRD9qf4oEK7LoaRQxULMa80/qt5gHO73aCleBBg=="
"""What npm says of the package: its SHA-512, in base 64."""
MEMBER = "package/dist/mermaid.min.js"
PLACE = "assets/javascripts/mermaid.min.js"
DIAGRAM = 'class="mermaid"'


def on_files(files: Any, config: Any) -> Any:
    """Add the script to the files of the site."""
    files.append(File.generated(config, PLACE, content=script()))
    return files


def on_post_page(output: str, page: Any, config: Any) -> str:  # noqa: ARG001 - the signature of a hook
    """Load the script in a page with a diagram, before the theme looks for it."""
    if DIAGRAM not in output:
        return output
    return output.replace("</head>", f'<script src="{get_relative_url(PLACE, page.url)}"></script>\n</head>', 1)


def script() -> bytes:
    """The script, from the cache or from npm. Raises PluginError where it cannot be had."""
    kept = cache() / f"mermaid-{VERSION}.min.js"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            fresh = Path(folder) / kept.name
            fresh.write_bytes(_packed(Path(folder)))
            fresh.replace(kept)
    return kept.read_bytes()


def cache() -> Path:
    """Where it is kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "latchcheck" / "docs"


def _packed(folder: Path) -> bytes:
    command = ["npm", "pack", f"mermaid@{VERSION}", "--silent", "--pack-destination", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own words
    except FileNotFoundError:
        raise PluginError("diagrams: npm, which brings the script that draws them, is not installed") from None
    except subprocess.CalledProcessError as failed:
        raise PluginError(f"diagrams: npm pack mermaid@{VERSION}: {failed.stderr.strip()}") from None
    (archive,) = folder.glob("*.tgz")
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != INTEGRITY:
        raise PluginError(f"diagrams: mermaid@{VERSION} is not the package that it was")
    with tarfile.open(archive) as opened:
        member = opened.extractfile(MEMBER)
        assert member is not None, MEMBER
        return member.read()
