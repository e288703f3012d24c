"""Builds the empty package that stands for this repository when pip or uv installs it. Its only content is the
requirement of guard's wheel. It needs no build tool, so an installation downloads one file."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

NAME = "write_guard_placeholder"
INFO = f"{NAME}-0.dist-info"


def files():
    root = Path(__file__).resolve().parents[2]
    version = re.search(r'(?m)^version = "(.+)"$', (root / "Cargo.toml").read_text("utf-8"))
    return {
        f"{INFO}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 0\nRequires-Dist: write-guard=={version[1]}\n",
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: guard\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    (Path(metadata_directory) / INFO).mkdir()
    for name, text in files().items():
        (Path(metadata_directory) / name).write_text(text, "utf-8")
    return INFO


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = f"{NAME}-0-py3-none-any.whl"
    record = ""
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for name, text in files().items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text.encode())}\n"
            archive.writestr(name, text)
        archive.writestr(f"{INFO}/RECORD", f"{record}{INFO}/RECORD,,\n")
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("guard's sources are published on crates.io")
