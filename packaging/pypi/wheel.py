#!/usr/bin/env python3
"""Makes the wheel of an unpacked archive: its program, its licences and the list of its dependencies, nothing else.

The program for Linux is static, so one wheel serves glibc and musl. The same archive gives the same bytes.
usage: wheel.py DIRECTORY REPOSITORY OUTPUT      DIRECTORY: yatsu-hook-TARGET, as packaging/archive.py names it
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = {
    "x86_64-unknown-linux-gnu": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "aarch64-unknown-linux-gnu": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "x86_64-apple-darwin": ["macosx_10_12_x86_64"],
    "aarch64-apple-darwin": ["macosx_11_0_arm64"],
    "x86_64-pc-windows-gnu": ["win_amd64"],
}
CLASSIFIERS = [
    "Environment :: Console",
    "Operating System :: MacOS",
    "Operating System :: Microsoft :: Windows",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Rust",
    "Topic :: Software Development :: Quality Assurance",
    "Topic :: Software Development :: Version Control :: Git",
]


def manifest(key):
    text = ROOT.joinpath("Cargo.toml").read_text(encoding="utf-8")
    return re.search(rf"^{key} = (.+)$", text, re.MULTILINE).group(1).strip('"')


def metadata(licences, repository):
    keywords = ",".join(re.findall(r'"([^"]+)"', manifest("keywords")))
    lines = ["Metadata-Version: 2.4", "Name: yatsu-hook", f"Version: {manifest('version')}", f"Summary: {manifest('description')}"]
    lines += [f"Keywords: {keywords}", f"License-Expression: {manifest('license')}", *(f"License-File: {name}" for name in licences)]
    lines += [f"Project-URL: Repository, {repository}", *(f"Classifier: {name}" for name in CLASSIFIERS), "Requires-Python: >=3.8", "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + ROOT.joinpath("README.md").read_text(encoding="utf-8")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, output, version = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]), manifest("version")
    target = source.name.removeprefix("yatsu-hook-")
    program = "yatsu-hook.exe" if "-windows-" in target else "yatsu-hook"
    licences = sorted(path.name for path in source.glob("LICENSE*"))
    info, tags = f"yatsu_hook-{version}.dist-info", PLATFORMS[target]
    wheel = "Wheel-Version: 1.0\nGenerator: yatsu-hook\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    files = {f"yatsu_hook-{version}.data/scripts/{program}": source.joinpath(program).read_bytes()}
    files |= {f"{info}/METADATA": metadata(licences, sys.argv[2]).encode(), f"{info}/WHEEL": wheel.encode()}
    files |= {f"{info}/licenses/{name}": source.joinpath(name).read_bytes() for name in licences}
    files[f"{info}/sboms/sbom.cdx.json"] = source.joinpath("sbom.cdx.json").read_bytes()

    digest = lambda content: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    output.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(output / f"yatsu_hook-{version}-py3-none-{'.'.join(tags)}.whl", "w", zipfile.ZIP_DEFLATED) as made:
        for path, content in files.items():
            member = zipfile.ZipInfo(path)
            mode = 0o755 if "/scripts/" in path else 0o644
            member.create_system, member.external_attr, member.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            made.writestr(member, content)


if __name__ == "__main__":
    main()
