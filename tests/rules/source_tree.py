"""The files of the checkout as the rules see them."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("common", "worker", "coordinator", "tests")
SKIPPED = {"build", "dist", ".git", "__pycache__", "node_modules"}


def files(*suffixes: str, folders: tuple[str, ...] = CODE_FOLDERS) -> list[Path]:
    """Paths relative to the root, sorted."""
    found = []
    for folder in folders:
        for at, subfolders, names in os.walk(ROOT / folder):
            subfolders[:] = [name for name in subfolders if name not in SKIPPED]
            found += [(Path(at) / name).relative_to(ROOT) for name in names if name.endswith(suffixes)]
    return sorted(found)


def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
