"""Lets pre-commit's `language: python` install the hook without a compiler.

pre-commit runs `pip install .` at the root of this repository. This placeholder holds nothing; it depends on the
wheel of the same version, which brings the native program (packaging/pypi).
"""

import atexit
import pathlib
import re
import shutil
import tempfile

from setuptools import setup

MANIFEST = pathlib.Path(__file__).resolve().parent / "Cargo.toml"
VERSION = re.search(r'^version = "([^"]+)"', MANIFEST.read_text(encoding="utf-8"), re.MULTILINE).group(1)

# What setuptools makes on its way (build/, *.egg-info) would lie in the sources of whoever installs from their clone.
SCRATCH = tempfile.mkdtemp(prefix="yatsu-hook-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)

setup(
    name="yatsu-hook-placeholder",
    version=VERSION,
    description="Installs the yatsu-hook wheel of the same version",
    install_requires=[f"yatsu-hook=={VERSION}"],
    packages=[],
    py_modules=[],
    options={"egg_info": {"egg_base": SCRATCH}, "build": {"build_base": SCRATCH}},
)
