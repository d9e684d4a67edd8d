"""Draw the figures of the study into this folder: `python docs/images/study/make.py`."""

from pathlib import Path

from latchcheck.cli import wiring

HERE = Path(__file__).parent


def pictures() -> dict[Path, bytes]:
    """Every picture by the file it belongs into."""
    drawn = wiring.pictures(lambda: None)
    return {
        HERE / f"{name}.{kind}": getattr(picture, kind) for name, picture in drawn.items() for kind in ("svg", "png")
    }


if __name__ == "__main__":
    for file, picture in pictures().items():
        file.write_bytes(picture)
