#!/usr/bin/env python3
"""Plays packaging/get.sh against a server on loopback that answers rightly and wrongly, with each downloader that is here.

The program in the archives is a shell script, so nothing is compiled. Every refusal is one sentence on stderr, exits 1 or 2,
and leaves the directory as it was.
usage: packaging/test-get.py        needs a POSIX sh, tar, and curl or wget
"""

import hashlib
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import threading
import zipfile

SCRIPT = pathlib.Path(__file__).resolve().parent / "get.sh"
HOST = "x86_64-unknown-linux-gnu"
PROGRAM = b"#!/bin/sh\necho 'yatsu-hook 0.2.0'\n"
PAGE = b"\n<!DOCTYPE html><html><body>Please log in.</body></html>\n"
# the head of a program of a processor that no machine has
FOREIGN = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xff\x7f" + bytes(100)


def archive(program=PROGRAM, target=HOST):
    name = f"yatsu-hook-{target}/yatsu-hook"
    file = io.BytesIO()
    if "windows" in target:
        with zipfile.ZipFile(file, "w") as made:
            made.writestr(name + ".exe", program)
        return f"yatsu-hook-{target}.zip", file.getvalue()
    with tarfile.open(fileobj=file, mode="w:gz") as made:
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(program), 0o755
        made.addfile(member, io.BytesIO(program))
    return f"yatsu-hook-{target}.tar.gz", file.getvalue()


def release(*archives):
    files = dict(archives)
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    return {**files, "SHA256SUMS": "".join(lines).encode()}


class Server(http.server.ThreadingHTTPServer):
    """Serves `files` by path; a value that is a pair is sent in part, with the length of the whole."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked = {}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        found = self.server.files.get(self.path.lstrip("/"), self.server.files.get("*"))
        if found is None:
            return self.send_error(404)
        data, sent = found if isinstance(found, tuple) else (found, len(found))
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:sent])

    def log_message(self, *_):
        pass


class Case:
    """A scratch directory, a directory of programs in PATH, and the prefix of an installation."""

    def __init__(self, server, downloader, shell):
        self.server, self.downloader, self.shell = server, downloader, shell
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="get-"))
        self.bin, self.prefix = self.home / "path", self.home / "a prefix"
        self.bin.mkdir()
        for tool in "awk cat chmod cut head mkdir mktemp mv rm sed sha256sum tar tr gzip unzip".split():
            if found := shutil.which(tool):
                (self.bin / tool).symlink_to(found)
        self.stub("uname", 'case $1 in -s) echo "${SYSTEM:-Linux}" ;; -m) echo "${PROCESSOR:-x86_64}" ;; esac')
        if downloader == "busybox":
            self.stub("wget", f'exec {shutil.which("busybox")} wget "$@"')
        elif downloader:
            (self.bin / downloader).symlink_to(shutil.which(downloader))

    def stub(self, name, text):
        file = self.bin / name
        file.unlink(missing_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run(self, *args, script=None, files=None, **variables):
        self.server.files, self.server.asked = files if files is not None else release(archive()), []
        environment = {"PATH": str(self.bin), "HOME": str(self.home), "YATSU_HOOK_URL": self.server.url, **variables}
        environment = {key: value for key, value in environment.items() if value is not None}
        command = [*self.shell, str(script or SCRIPT), "--prefix", str(self.prefix), *args]
        return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.home, stdin=subprocess.DEVNULL)

    def installs(self, *args, says="installed", err="", **more):
        done = self.run(*args, **more)
        assert done.returncode == 0 and says in done.stdout and err in done.stderr and bool(err) == bool(done.stderr), done
        found = [path.name for path in (self.prefix / "bin").iterdir()]
        assert found in (["yatsu-hook"], ["yatsu-hook.exe"]), found
        file = self.prefix / "bin" / found[0]
        assert file.read_bytes() == PROGRAM and file.stat().st_mode & 0o777 == 0o755, file.stat()
        return done

    def refuses(self, sentence, *args, code=1, **more):
        before = self.listed()
        done = self.run(*args, **more)
        last = done.stderr.splitlines()[-1:]
        assert done.returncode == code and done.stdout == "", done
        assert last and sentence in last[0] and last[0].endswith("; nothing was installed"), done
        assert code == 2 or len(done.stderr.splitlines()) == 1, done
        assert self.listed() == before, (before, self.listed())

    def listed(self):
        files = [path for path in self.prefix.rglob("*") if not path.is_dir()] if self.prefix.is_dir() else []
        return {path: path.read_bytes() for path in files}


def downloads(case):
    """What a proxy, a server or a broken line may do."""
    name, data = archive()
    good = release((name, data))
    for earlier in (False, True):
        case.refuses("cannot be downloaded", files={})
        case.refuses("cannot be downloaded", files={"SHA256SUMS": good["SHA256SUMS"]})
        case.refuses("or only a part of it", files={**good, name: (data, len(data) // 2)})
        case.refuses("is not the released file, it was changed or cut off", files={**good, name: data[:-20]})
        case.refuses("is not the released file", files={**good, name: archive(PROGRAM + b"# other\n")[1]})
        case.refuses("a proxy or a login stands between", files={"*": PAGE})
        case.refuses("a proxy or a login stands between", files={**good, name: PAGE})
        case.refuses("has no program for Linux on x86_64", files={**good, "SHA256SUMS": b"0  x\n"})
        case.refuses("does not run on this machine, Linux on x86_64", files=release(archive(FOREIGN)))
        case.refuses("calls itself 'rm 1.0'", files=release(archive(b"#!/bin/sh\necho rm 1.0\n")))
        case.refuses("calls itself 'yatsu-hook 0.2.0', not yatsu-hook 0.2.1", "--version", "0.2.1")
        case.refuses("cannot be unpacked", files=release((name, b"\x1f\x8b no archive")))
        case.refuses("cannot be unpacked", files=release((name, archive(target="aarch64-unknown-linux-gnu")[1])))
        # an installation of before stays as it is
        if not earlier:
            case.installs(says=f"put {case.prefix}/bin in PATH")
    case.installs("--version", "v0.2.0")


def machines(case):
    for system, processor, target in [
        ("Linux", "aarch64", "aarch64-unknown-linux-gnu"),
        ("Darwin", "arm64", "aarch64-apple-darwin"),
        ("Darwin", "x86_64", "x86_64-apple-darwin"),
    ]:
        case.installs(SYSTEM=system, PROCESSOR=processor, files=release(archive(target=target)))
    case.stub("sysctl", "echo 1")
    case.installs(SYSTEM="Darwin", PROCESSOR="x86_64", files=release(archive(target="aarch64-apple-darwin")))
    case.refuses("no program is released for Linux on riscv64", PROCESSOR="riscv64")
    case.refuses("no program for Linux on aarch64", PROCESSOR="aarch64", files={**release(archive()), "*": b"x"})
    shutil.rmtree(case.prefix)
    windows = release(archive(target="x86_64-pc-windows-gnu"))
    if (case.bin / "unzip").exists():
        case.installs(SYSTEM="MINGW64_NT-10.0", files=windows)
        shutil.rmtree(case.prefix)
    (case.bin / "unzip").unlink(missing_ok=True)
    case.refuses("unzip is not in PATH", SYSTEM="MINGW64_NT-10.0", files=windows)


def places(case):
    case.refuses("unknown argument: --nonsense", "--nonsense", code=2)
    case.refuses("--prefix needs a directory", "--prefix", code=2)
    case.refuses("is no version", "--version", "latest", code=2)
    case.refuses("is no https address", code=2, YATSU_HOOK_URL="http://example.invalid/x")
    case.refuses("is no https address", code=2, YATSU_HOOK_URL="file:///etc")
    case.refuses("this copy names no repository", code=2, YATSU_HOOK_URL=None)
    case.refuses("HOME is not set", "--prefix", "", code=2)
    # the address of a release, of this copy or by the variable
    for version, path in [([], "releases/latest/download"), (["--version", "0.2.0"], "releases/download/v0.2.0")]:
        files = {f"o/y/{path}/{name}": data for name, data in release(archive()).items()}
        case.installs(*version, files=files, YATSU_HOOK_URL=None, YATSU_HOOK_REPOSITORY=f"{case.server.url}/o/y/")
        copy = case.home / "get.sh"
        copy.write_text(SCRIPT.read_text().replace("\nrepository=\n", f"\nrepository={case.server.url}/o/y\n"))
        case.installs(*version, files=files, YATSU_HOOK_URL=None, script=copy)
    # a copy that was cut off does nothing
    whole = SCRIPT.read_text()
    for end in (len(whole) // 3, len(whole) // 2, len(whole) - len('main "$@"\n')):
        copy.write_text(whole[:end])
        before = case.listed()
        case.run(script=copy)
        assert case.server.asked == [] and case.listed() == before
    shutil.rmtree(case.prefix)

    # a prefix that cannot be written to; root may write everywhere, so for root it is below a file
    (case.home / "file").write_text("")
    case.refuses("choose another place with --prefix DIR", "--prefix", str(case.home / "file"))
    case.prefix.mkdir()
    case.prefix.chmod(0o500)
    if os.getuid() != 0:
        case.refuses("cannot be written to")
    case.prefix.chmod(0o755)
    (case.prefix / "bin/yatsu-hook").mkdir(parents=True)
    case.refuses("is a directory")
    (case.prefix / "bin/yatsu-hook").rmdir()

    # which one a shell finds
    path = f"{case.prefix}/bin:{case.bin}"
    case.installs(PATH=path)
    case.stub("yatsu-hook", "echo yatsu-hook 0.0.9")
    case.installs(PATH=path)
    case.installs(err=f"PATH has another one before it, {case.bin}/yatsu-hook (yatsu-hook 0.0.9)")


def attestations(case):
    """`gh` is a stand-in that takes the arguments of the real one."""
    name = archive()[0]
    github = {"YATSU_HOOK_REPOSITORY": "https://github.com/o/y"}
    case.refuses("cannot be checked: the repository is not on GitHub", "--attested", YATSU_HOOK_REPOSITORY="https://localhost/o/y")
    case.refuses("cannot be checked: gh is not in PATH", "--attested", **github)
    case.stub("gh", "exit 1")
    case.refuses("cannot be checked: this gh is too old", "--attested", **github)
    case.installs(**github)
    case.stub("gh", '[ "$1" != auth ]')
    case.refuses("cannot be checked: gh is not logged in", "--attested", **github)
    case.installs(**github)
    shutil.rmtree(case.prefix)
    asked = f'"$1 $2" = "attestation verify" ] && [ "${{3##*/}}" = {name} ] && [ "$4 $5 $6 $7" = "--repo o/y --signer-workflow o/y/.github/workflows/release.yml"'
    gh = 'case "$1 $2 $3" in "attestation verify --help" | "auth status "*) exit 0 ;; esac\n'
    case.stub("gh", gh + "echo 'HTTP 404: Not Found'; exit 1")
    case.refuses(f"the attestation of {name} does not hold: HTTP 404: Not Found", **github)
    case.stub("gh", gh + f"[ {asked} ]")
    case.installs("--attested", says="attested by the release workflow of o/y", **github)


def tools(case):
    (case.bin / "sha256sum").unlink()
    case.refuses("neither sha256sum nor shasum is in PATH")
    case.stub("shasum", f'[ "$1 $2" = "-a 256" ] && exec {shutil.which("sha256sum")} "$3"')
    case.installs()
    if case.downloader:
        for name in ("curl", "wget"):
            (case.bin / name).unlink(missing_ok=True)
        case.refuses("neither curl nor wget is in PATH")


def main():
    # each downloader; and each shell with the first of them
    ways = [(tool, ["/bin/sh"]) for tool in ("curl", "wget", "busybox") if shutil.which(tool)]
    assert ways, "neither curl nor wget is here"
    shells = [["bash", "--posix"], ["busybox", "sh"], ["dash"]]
    ways += [(ways[0][0], [shutil.which(shell[0]), *shell[1:]]) for shell in shells if shutil.which(shell[0])]
    server, count = Server(), 0
    for index, (downloader, shell) in enumerate(ways):
        for part in (downloads, machines, places, attestations, tools) if index == 0 else (downloads, attestations):
            case = Case(server, downloader, shell)
            try:
                part(case)
            finally:
                shutil.rmtree(case.home)
            count += 1
            print(f"{downloader}, {' '.join(shell)}: {part.__name__}", flush=True)
    print(f"{count} passed, 0 failed")


if __name__ == "__main__":
    main()
