#!/usr/bin/env bash
# Plays a release without a forge: builds the program, makes every form of it, has the forms checked by their own tools, serves
# the files on loopback, installs each form in a place that holds nothing of ours, and has each block a malformed commit.
#
# usage: packaging/rehearse.sh [--full] [--program PATH] [--keep DIR]
#   --full           also Debian 12 and 13 by debootstrap, `cargo install` of the packed crate, and cargo binstall
#   --program PATH   a program that packaging/build.sh built from this commit, instead of a build of the profile dist
#   --keep DIR       where the files of the release and the root file systems are made, and stay
# Needs what packaging/tools.sh installs, a C compiler, git, python3 with venv, node, npm and dpkg-deb; --full needs root and
# debootstrap. What this machine cannot try is named at the end. With YATSU_UNDONE the names are added to that file, too.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
full='' program='' keep=''
while [ $# -gt 0 ]; do
    case $1 in
    --full) full=yes ;;
    --program) program=$(realpath "$2"); shift ;;
    --keep) keep=$2; shift ;;
    *) sed -n '5,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done
work=$(mktemp -d)
[ -z "$keep" ] || { mkdir -p "$keep"; keep=$(cd "$keep" && pwd); }
keep=${keep:-$work/keep}
server=''
trap 'cd /; [ -z "$server" ] || kill "$server"; rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM HUP
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 HOME_BEFORE=${HOME:-/}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
host=$(rustc -vV | sed -n 's/^host: //p')
name=yatsu-hook-$host
# an address that every form takes; the files come from the local server
address=https://localhost/owner/yatsu-hook
files=$keep/site/releases/download/v$version

not_made=()
undone() {
    printf 'not made: %s: %s\n' "$1" "$2"
    not_made+=("$1")
    [ -z "${YATSU_UNDONE:-}" ] || echo "$1" >>"$YATSU_UNDONE"
}
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
title='' began=0 times=''
step() {
    [ -z "$title" ] || times+=$(printf '%5d s  %s' $((SECONDS - began)) "$title")$'\n'
    title=$1 began=$SECONDS
    [ -z "$title" ] || printf '\n== %s\n' "$title"
}

# Nothing else in PATH may answer, and the answer must be this version.
answers() {
    local said
    said=$("$@" --version) || fail "$1 --version exits $?"
    [ "$said" = "yatsu-hook $version" ] || fail "$1 --version says '$said', not $version"
}
commit() { git -C "$1" -c user.name=dev -c user.email=dev@localhost commit -q -m "$2"; }
# A repository with one commit, whose hooks are its own.
project() {
    git init -q "$1"
    git -C "$1" -c user.name=dev -c user.email=dev@localhost commit -q --allow-empty -m first
}
malformed() {
    mkdir -p "$1/.spec/node"
    printf '%s\n' --- 'scenarios: [{name: a' --- >"$1/.spec/node/yatsu.md"
}
named() {
    grep -q 'yatsu\.md:[0-9]*:[0-9]*: error\[yatsu-schema\]' "$work/said" || { cat "$work/said" >&2; fail "$1: the line was not named"; }
}
# A malformed scenario file is refused with its line, and a good one passes.
blocks() {
    malformed "$1"
    git -C "$1" add -A
    commit "$1" malformed >"$work/said" 2>&1 && { cat "$work/said" >&2; fail "a malformed file was committed in $1"; }
    named "$1"
    printf '%s\n' --- 'scenarios: [{name: a, description: Look., expected: Fine., tags: [cli], code: [README.md]}]' --- \
        >"$1/.spec/node/yatsu.md"
    printf 'read me\n' >"$1/README.md"
    git -C "$1" add -A
    commit "$1" good >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "a good file was refused in $1"; }
    printf '%s: blocked, then passed\n' "${1##*/}"
}
# An installed program, as git's own hook.
guards() {
    answers "$1"
    project "$work/$2"
    (cd "$work/$2" && "$1" install --hooks pre-commit >/dev/null)
    blocks "$work/$2"
}

step 'get.sh against a server that fails in every way'
"$here/test-get.py"

if [ -z "$program" ]; then
    step 'the program'
    program=$("$here/build.sh" "$host")
fi
answers "$program"

step 'the archive'
rm -rf "$keep/site"
mkdir -p "$files"
"$here/archive.py" "$program" "$files"
mkdir "$work/unpacked"
tar -C "$work/unpacked" -xzf "$files/$name.tar.gz"
unpacked=$work/unpacked/$name
for file in BUILD.txt LICENSE-MIT LICENSE-APACHE LICENSES-OF-DEPENDENCIES.txt sbom.cdx.json man/yatsu-hook.1 completions/_yatsu-hook; do
    [ -s "$unpacked/$file" ] || fail "the archive has no $file"
done
python3 - "$unpacked/sbom.cdx.json" "$unpacked/yatsu-hook" <<'END'
import json, sys, zlib
listed = {(part["name"], part["version"]) for part in json.load(open(sys.argv[1]))["components"]}
# what cargo auditable put into the program: a zlib stream that begins with {"packages"
data, found = open(sys.argv[2], "rb").read(), None
at = data.find(b"x\x9c")
while at >= 0 and found is None:
    try:
        text = zlib.decompressobj().decompress(data[at:])
        found = text if text.startswith(b'{"packages"') else None
    except zlib.error:
        pass
    at = data.find(b"x\x9c", at + 1)
assert found, "the program does not say what it was built from"
inside = {(part["name"], part["version"]) for part in json.loads(found)["packages"] if part.get("kind", "runtime") == "runtime" and not part.get("root")}
assert len(inside) > 50 and inside <= listed, sorted(inside - listed)
print(f"{len(inside)} dependencies in the program, all of them among the {len(listed)} of the list")
END
ls -l "$unpacked"

step 'the wheel, the npm packages, the Debian package, the crate, the sums, the formula and the manifest'
"$here/pypi/wheel.py" "$unpacked" "$address" "$files"
"$here/npm/build.sh" "$unpacked" "$address" "$files"
if command -v dpkg-deb >/dev/null; then "$here/deb.sh" "$unpacked" "$address" "$files"; else undone 'the Debian package' 'dpkg-deb is not here'; fi
"$here/crate.sh" "$address" "$files"
# the archives of other machines are not built here
for other in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin; do
    [ -f "$files/yatsu-hook-$other.tar.gz" ] || echo 'of another machine' >"$files/yatsu-hook-$other.tar.gz"
done
echo 'of another machine' >"$files/yatsu-hook-x86_64-pc-windows-gnu.zip"
"$here/finish.sh" "$files" "$address" >/dev/null
(cd "$files" && sha256sum -c --quiet SHA256SUMS) || fail 'SHA256SUMS does not hold'
"$here/finish.sh" "$files" 'https://localhost/x; id' 2>/dev/null && fail 'an address that is none was taken'
"$here/crate.sh" http://localhost/x "$work" 2>/dev/null && fail 'an address that is none was taken'
[ -n "$("$here/notes.sh" Unreleased)" ] || fail 'the changelog has no notes'
"$here/notes.sh" 99.0.0 2>/dev/null && fail 'notes of a version that nobody wrote about'
ls -l "$files"

step 'each form, by the tools of its own kind'
python3 -m venv "$work/tools"
tools=$work/tools/bin
"$tools/pip" install -q twine check-wheel-contents pre-commit setuptools wheel
"$tools/twine" check --strict "$files"/*.whl
"$tools/check-wheel-contents" --ignore W007 "$files"/*.whl
python3 -m json.tool "$files/yatsu-hook.json" >/dev/null
if command -v ruby >/dev/null; then ruby -c "$files/yatsu-hook.rb"; else undone 'the syntax of the formula' 'ruby is not here'; fi
# brew itself installs from git alone
if command -v brew >/dev/null; then brew style "$files/yatsu-hook.rb"; fi
if command -v lintian >/dev/null; then
    # no Debian archive has it, so it closes no bug there
    lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,bogus-mail-host "$files"/*.deb
else
    undone 'the policy of the Debian package' 'lintian is not here'
fi

step 'the server'
mkdir -p "$keep/site/releases/latest" "$keep/site/simple/yatsu-hook" "$keep/site/npm"
ln -sfn "../download/v$version" "$keep/site/releases/latest/download"
cp "$files"/*.whl "$keep/site/simple/yatsu-hook/"
(cd "$keep/site" && exec python3 -u -m http.server --bind 127.0.0.1 0) >"$work/server" 2>&1 &
server=$!
until grep -q '^Serving' "$work/server"; do kill -0 "$server" || { cat "$work/server" >&2; fail 'no server'; }; done
url=http://127.0.0.1:$(sed -n 's/^Serving HTTP on .* port \([0-9]*\).*/\1/p' "$work/server")
# what npm asks a registry about a package
python3 - "$files" "$keep/site/npm" "$url" <<'END'
import base64, hashlib, json, pathlib, sys, tarfile
files, npm, url = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
for file in files.glob("*.tgz"):
    package = json.load(tarfile.open(file).extractfile("package/package.json"))
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
    package["dist"] = {"tarball": f"{url}/{file.relative_to(npm.parent)}", "integrity": integrity}
    document = {"name": package["name"], "dist-tags": {"latest": package["version"]}, "versions": {package["version"]: package}}
    npm.joinpath(package["name"]).write_text(json.dumps(document))
END
printf '%s\n' "$url"
# without a compiler
plain=$work/plain
mkdir "$plain"
for tool in sh env awk basename bash cat chmod cut dirname git grep head mkdir mktemp mv node npm rm sed sha256sum tar gzip tr uname curl wget; do
    found=$(command -v "$tool") && ln -s "$found" "$plain/$tool"
done

step 'get.sh, of the release'
env -i PATH="$plain" HOME="$work" YATSU_HOOK_URL="$url/releases/latest/download" sh "$files/get.sh"
guards "$work/.local/bin/yatsu-hook" get
env -i PATH="$plain" HOME="$work" YATSU_HOOK_REPOSITORY="$url" sh "$files/get.sh" --version "$version" --prefix "$work/pinned"
answers "$work/pinned/bin/yatsu-hook"

step 'pip'
python3 -m venv "$work/pip"
env PATH="$work/pip/bin" "$work/pip/bin/pip" install -q --index-url "$url/simple" yatsu-hook
guards "$work/pip/bin/yatsu-hook" python
# a system with musl takes it, too
"$work/pip/bin/pip" download -q --no-deps --only-binary :all: --platform musllinux_1_1_x86_64 -d "$work/musl" \
    --index-url "$url/simple" yatsu-hook || fail 'pip finds no wheel for musl'

step 'pip install of the sources, as pre-commit does it for id: yatsu-hook-python'
mkdir "$work/sources"
git -C "$root" archive HEAD | tar -x -C "$work/sources"
python3 -m venv "$work/placeholder"
"$work/placeholder/bin/pip" install -q setuptools wheel
env PATH="$work/placeholder/bin" "$work/placeholder/bin/pip" install -q --no-build-isolation --index-url "$url/simple" "$work/sources"
answers "$work/placeholder/bin/yatsu-hook"
"$tools/pip" download -q -d "$work/wheels" setuptools wheel
cp "$files"/*.whl "$work/wheels/"
git init -q "$work/hooks"
git -C "$root" archive HEAD setup.py Cargo.toml README.md .pre-commit-hooks.yaml | tar -x -C "$work/hooks"
git -C "$work/hooks" add -A && commit "$work/hooks" hooks
project "$work/pre-commit"
cat >"$work/pre-commit/.pre-commit-config.yaml" <<END
repos:
  - repo: $work/hooks
    rev: $(git -C "$work/hooks" rev-parse HEAD)
    hooks: [{ id: yatsu-hook-python }]
END
export PRE_COMMIT_HOME="$work/pre-commit-home" PIP_NO_INDEX=1 PIP_FIND_LINKS="$work/wheels"
(cd "$work/pre-commit" && "$tools/pre-commit" install >/dev/null)
blocks "$work/pre-commit"
unset PRE_COMMIT_HOME PIP_NO_INDEX PIP_FIND_LINKS

step 'npm, in a project with husky'
project "$work/node"
printf '{"private": true}\n' >"$work/node/package.json"
(cd "$work/node" && npm install --silent --no-audit --no-fund -D husky && npx husky && printf 'node_modules\n' >.gitignore)
# --ignore-scripts proves that nothing has to run at installation; the packages of other machines are not there
(cd "$work/node" && env PATH="$plain" HOME="$work" npm install --silent --ignore-scripts --no-audit --no-fund -D yatsu-hook --registry "$url/npm/")
answers "$work/node/node_modules/.bin/yatsu-hook"
"$work/node/node_modules/.bin/yatsu-hook" --no-such-flag >/dev/null 2>&1 && fail 'the launcher swallows the exit code'
printf 'npx yatsu-hook run\n' >"$work/node/.husky/pre-commit"
blocks "$work/node"

step 'the archive, by the names that cargo binstall asks for on glibc and on musl'
# key TABLE KEY TARGET: a value with the words replaced
key() { sed -n "/^\[$1\]/,/^\$/s/^$2 = \"\(.*\)\"/\1/p" "$root/Cargo.toml" | sed "s#{ repo }#$url#; s/{ version }/$version/; s/{ target }/$3/g; s/{ bin }/yatsu-hook/; s/{ binary-ext }//"; }
table=package.metadata.binstall
for asked in "$table $host" "$table.overrides.${host%-gnu}-musl ${host%-gnu}-musl"; do
    from=${asked% *} target=${asked#* }
    asset=$(key "$from" pkg-url "$target") dir=$(key "$from" bin-dir "$target")
    rm -rf "$work/binstall" && mkdir "$work/binstall"
    curl -fsS -o "$work/binstall.tgz" "${asset:-nothing}" || fail "there is no archive for $target"
    tar -C "$work/binstall" -xzf "$work/binstall.tgz"
    answers "$work/binstall/$dir"
done

step 'a root with busybox, without glibc and without git'
if [ "$(id -u)" = 0 ] && busybox=$(command -v busybox) && ! ldd "$busybox" >/dev/null 2>&1; then
    small=$work/small
    mkdir -p "$small/bin" "$small/tmp" "$small/dev"
    cp "$busybox" "$small/bin/"
    "$busybox" --install "$small/bin"
    cp "$files/get.sh" "$small/"
    project "$small/repo"
    malformed "$small/repo"
    git -C "$small/repo" add -A
    chroot "$small" /bin/busybox env -i PATH=/bin HOME=/ YATSU_HOOK_URL="$url/releases/latest/download" sh /get.sh
    answers chroot "$small" /.local/bin/yatsu-hook
    chroot "$small" /bin/busybox env -i PATH=/bin HOME=/ sh -c 'cd /repo && /.local/bin/yatsu-hook pre-commit' >"$work/said" 2>&1 &&
        fail 'the malformed file passed'
    named busybox
    printf 'busybox: blocked\n'
else
    undone 'a root without glibc' 'it needs root and a static busybox (package busybox-static)'
fi

# A root file system of Debian with git and no compiler.
debian() {
    local at=$keep/$1 mirror
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/*.sources \
        /etc/apt/sources.list 2>/dev/null | head -n 1) || true
    if [ ! -e "$at/made" ]; then
        debootstrap --variant=minbase --include=git,wget,ca-certificates "$1" "$at" "${mirror:-https://deb.debian.org/debian}" \
            >"$keep/debootstrap.log" 2>&1 || { tail -n 5 "$keep/debootstrap.log" >&2; fail debootstrap; }
        touch "$at/made"
    fi
    rm -rf "$at/srv" && mkdir -p "$at/srv"
    cp "$files"/*.deb "$files/get.sh" "$at/srv/"
    inside() {
        # shellcheck disable=SC2016 # the inner shell has the arguments
        unshare --mount --pid --fork sh -c 'at=$1; shift; mount -t proc proc "$at/proc" && exec chroot "$at" "$@"' sh "$at" \
            /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/srv/home LC_ALL=C.UTF-8 "$@"
    }
    inside dpkg --remove yatsu-hook >/dev/null 2>&1 || true
    inside env YATSU_HOOK_URL="$url/releases/latest/download" sh /srv/get.sh
    guards_inside "$1" get /srv/home/.local/bin/yatsu-hook
    inside sh -c 'dpkg --install /srv/*.deb' >"$work/dpkg" 2>&1 || { cat "$work/dpkg" >&2; fail 'dpkg does not install it'; }
    guards_inside "$1" deb /usr/bin/yatsu-hook
    inside dpkg --remove yatsu-hook >/dev/null
    [ ! -e "$at/usr/bin/yatsu-hook" ] || fail 'the Debian package stays'
}
guards_inside() {
    answers inside "$3"
    # shellcheck disable=SC2016 # the inner shell has the arguments
    inside sh -eu -c 'git init -q "$1" && cd "$1" && git config user.name dev && git config user.email dev@localhost
        "$2" install --hooks pre-commit >/dev/null
        mkdir -p .spec/node && printf "%s\n" --- "scenarios: [{name: a" --- >.spec/node/yatsu.md
        git add -A && git commit -q -m malformed' sh "/srv/$2" "$3" >"$work/said" 2>&1 && fail "a malformed file was committed in $1, $2"
    named "$1, $2"
    printf '%s, %s: blocked\n' "$1" "$2"
}
if [ -n "$full" ]; then
    for release in bookworm trixie; do
        step "Debian $release: get.sh, then the Debian package"
        if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then debian "$release"; else undone "Debian $release" 'it needs root and debootstrap'; fi
    done

    step 'cargo install of the packed crate, in a directory of its own'
    tar -xzf "$files/yatsu-hook-$version.crate" -C "$work"
    grep -q "^repository = \"$address\"\$" "$work/yatsu-hook-$version/Cargo.toml" || fail 'the crate has no repository'
    (cd "$work/yatsu-hook-$version" && env -u CARGO_TARGET_DIR HOME="$HOME_BEFORE" cargo install --quiet --locked --path . --root "$work/cargo")
    guards "$work/cargo/bin/yatsu-hook" crate

    step 'cargo binstall'
    if cargo binstall -V >/dev/null 2>&1; then
        sed -i "s#^repository = .*#repository = \"$url\"#" "$work/yatsu-hook-$version/Cargo.toml"
        for target in "$host" "${host%-gnu}-musl"; do
            cargo binstall --quiet --no-confirm --manifest-path "$work/yatsu-hook-$version/Cargo.toml" --targets "$target" \
                --strategies crate-meta-data --root "$work/binstalled-$target" --force --no-track yatsu-hook
            guards "$work/binstalled-$target/bin/yatsu-hook" "binstall-$target"
        done
    else
        undone 'cargo binstall' 'it is not installed'
    fi
fi

step ''
printf '\n%s%5d s  in all\n' "$times" "$SECONDS"
[ ${#not_made[@]} = 0 ] || { printf 'not made:'; printf ' %s;' "${not_made[@]}"; printf '\n'; }
printf 'all forms work\n'
