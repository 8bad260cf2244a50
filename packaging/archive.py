#!/usr/bin/env python3
"""Makes the archive of a program that packaging/build.sh built: the program, licences, completions, manual page, the list of its
dependencies (CycloneDX) and BUILD.txt, which says from what it was built. The same files give the same bytes.

usage: archive.py PROGRAM OUTPUT [RUNNABLE]
  PROGRAM    the path that build.sh printed; it ends with TARGET/PROFILE/yatsu-hook
  RUNNABLE   the same version for this machine, which prints completions and manual page, if PROGRAM does not run here
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPLETIONS = {"bash": "yatsu-hook.bash", "zsh": "_yatsu-hook", "fish": "yatsu-hook.fish", "powershell": "_yatsu-hook.ps1", "elvish": "yatsu-hook.elv"}


def said(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, **more).stdout


def first_line(*command):
    return said(*command).decode().splitlines()[0].strip()


def build_notes(target, profile):
    """What the bytes of the program depend on. packaging/verify-release.sh reads these lines."""
    cc = {"x86_64-pc-windows-gnu": "x86_64-w64-mingw32-gcc"}.get(target, "cc")
    notes = {"commit": first_line("git", "rev-parse", "HEAD"), "target": target, "profile": profile}
    notes |= {"rustc": first_line("rustc", "--version"), "cc": first_line(cc, "--version")}
    if target.endswith("-linux-gnu"):
        notes["libc"] = first_line("ldd", "--version")
    return "".join(f"{key}: {value}\n" for key, value in notes.items()).encode()


def bill_of_materials(target, time):
    """By cargo-cyclonedx, in a copy, because it writes beside Cargo.toml; without the path of the copy."""
    with tempfile.TemporaryDirectory() as copy:
        zipfile.ZipFile(io.BytesIO(said("git", "archive", "--format=zip", "HEAD"))).extractall(copy)
        command = ["cargo", "cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--target", target]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time)}
        subprocess.run([*command, "--override-filename", "sbom"], check=True, cwd=copy, env=environment)
        return pathlib.Path(copy, "sbom.json").read_text().replace(f"file://{copy}", "file:///yatsu-hook").encode()


def licences_of_dependencies(target):
    """The licence files of every crate that is compiled into the program, each text once."""
    metadata = json.loads(said("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    reached, open_ids = set(), [metadata["resolve"]["root"]]
    while open_ids:
        name = open_ids.pop()
        if name not in reached:
            reached.add(name)
            linked = [dep for dep in nodes[name] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
            open_ids += [dep["pkg"] for dep in linked]
    texts = {}
    for package in sorted((packages[name] for name in reached if packages[name]["source"]), key=lambda one: (one["name"], one["version"])):
        home = pathlib.Path(package["manifest_path"]).parent
        title = f"{package['name']} {package['version']} ({package['license']})"
        files = [file for file in sorted(home.rglob("*")) if re.match(r"(?i)(licen[cs]e|copying|notice|unlicense)", file.name) and file.is_file()]
        for file in [file for file in files if file.suffix not in (".rs", ".c", ".h")] or [None]:
            texts.setdefault(file.read_text(errors="replace").strip() if file else "The crate carries no licence file.", []).append(title)
    parts = [", ".join(dict.fromkeys(titles)) + "\n\n" + text for text, titles in texts.items()]
    rule = "\n\n" + "-" * 100 + "\n\n"
    return ("Licences of what is compiled into yatsu-hook." + rule + rule.join(parts) + "\n").encode()


def files_of(program, runnable, target, profile, time):
    """Name to (content, mode)."""
    end = ".exe" if "-windows-" in target else ""
    files = {f"yatsu-hook{end}": (program.read_bytes(), 0o755), "BUILD.txt": (build_notes(target, profile), 0o644)}
    for name in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"):
        files[name] = (ROOT.joinpath(name).read_bytes(), 0o644)
    files["LICENSES-OF-DEPENDENCIES.txt"] = (licences_of_dependencies(target), 0o644)
    files["sbom.cdx.json"] = (bill_of_materials(target, time), 0o644)
    files["man/yatsu-hook.1"] = (said(runnable, "man"), 0o644)
    for shell, name in COMPLETIONS.items():
        files[f"completions/{name}"] = (said(runnable, "completions", shell), 0o644)
    return files


def tar(name, files, time):
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", filename="", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (content, mode) in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mode, member.mtime = len(content), mode, time
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def zipped(name, files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (content, mode) in sorted(files.items()):
            member = zipfile.ZipInfo(f"{name}/{path}")
            # Unix made it, so that the mode counts
            member.create_system, member.external_attr, member.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return made.getvalue()


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    runnable = str(pathlib.Path(sys.argv[-1] if len(sys.argv) == 4 else program).resolve())
    target, profile = program.parent.parent.name, program.parent.name
    time = int(said("git", "log", "-1", "--format=%ct"))
    files, name = files_of(program, runnable, target, profile, time), f"yatsu-hook-{target}"
    archive, content = (f"{name}.zip", zipped(name, files)) if "-windows-" in target else (f"{name}.tar.gz", tar(name, files, time))
    output = pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    output.joinpath(archive).write_bytes(content)
    print(f"{hashlib.sha256(content).hexdigest()}  {archive}")


if __name__ == "__main__":
    main()
