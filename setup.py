"""Lets pre-commit's `language: python` install the hook without a compiler.

pre-commit runs `pip install .` at the root of this repository. This placeholder holds nothing; it depends on the
wheel of the same version, which brings the native program (packaging/pypi).
"""

import pathlib
import re

from setuptools import setup

MANIFEST = pathlib.Path(__file__).resolve().parent / "Cargo.toml"
VERSION = re.search(r'^version = "([^"]+)"', MANIFEST.read_text(encoding="utf-8"), re.MULTILINE).group(1)

setup(
    name="yatsu-hook-placeholder",
    version=VERSION,
    description="Installs the yatsu-hook wheel of the same version",
    install_requires=[f"yatsu-hook=={VERSION}"],
    packages=[],
    py_modules=[],
)
