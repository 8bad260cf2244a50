#!/bin/sh
# Installs a released yatsu-hook without compiling it. The usage stands below; docs/development.md says how a release is made.
set -eu
unset CDPATH
# other programs' words in English, and bytes as bytes
LC_ALL=C
export LC_ALL

# The address of the repository. A release carries a copy of this file with the line filled in (packaging/finish.sh).
repository=

usage() {
    cat <<'END'
usage: get.sh [--version X.Y.Z] [--prefix DIR] [--attested]

Downloads the yatsu-hook of a release for this system and processor, checks its sha256, and puts it into DIR/bin. With a
`gh` that is logged in, GitHub's attestation of the file is checked, too. Asks nothing and compiles nothing. What does not
match is not installed.

  --version X.Y.Z   the release; default: the latest one
  --prefix DIR      where to install; default: ~/.local
  --attested        refuse a file without a checked attestation
  --help            this text

  YATSU_HOOK_REPOSITORY   the repository with the releases, for example https://github.com/OWNER/yatsu-hook
  YATSU_HOOK_URL          a directory with the files of one release, for example a mirror
END
}

say() { printf 'get.sh: %s\n' "$1"; }
die() { printf 'get.sh: %s; nothing was installed\n' "$1" >&2; exit "${2:-1}"; }
words() { tr -s '\n\t\r' '   ' <"$work/words" | tr -cd ' -~' | cut -c 1-300 | sed 's/ *$//'; }

# Prints the name that rustc has for this machine.
target() {
    case $system/$processor in
    Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-gnu ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-gnu ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    # a shell under Rosetta calls an ARM machine x86_64
    Darwin/x86_64) if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then echo aarch64-apple-darwin; else echo x86_64-apple-darwin; fi ;;
    MINGW*/x86_64 | MSYS*/x86_64) echo x86_64-pc-windows-gnu ;;
    *) die "no program is released for $system on $processor: build it from the sources with install.sh" ;;
    esac
}

# The directory of the release, in $from. Other schemes are refused, because the sums come the same way as the program.
place() {
    from=${YATSU_HOOK_URL:-}
    if [ -z "$from" ]; then
        [ -n "$repository" ] || die 'this copy names no repository: set YATSU_HOOK_REPOSITORY to its address, or take the get.sh of a release' 2
        from=$repository/releases/${version:+download/v}${version:-latest/download}
    fi
    from=${from%/}
    case $from in
    https://*) scheme='=https' ;;
    http://127.0.0.1[:/]* | http://localhost[:/]*) scheme='=http' ;;
    *) die "$from is no https address" 2 ;;
    esac
}

# Writes a file of the release to $work.
fetch() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --proto "$scheme" --output "$work/$1" "$from/$1" 2>"$work/words"
    elif wget --version >/dev/null 2>&1; then
        wget -nv --tries=2 -O "$work/$1" "$from/$1" 2>"$work/words"
    elif command -v wget >/dev/null; then
        # of busybox
        wget -q -O "$work/$1" "$from/$1" 2>"$work/words"
    else
        die 'neither curl nor wget is in PATH: install one of them'
    fi || die "$1 cannot be downloaded from $from, or only a part of it: $(words)"
    # some proxies answer every question with a page of their own
    case $(head -c 200 "$work/$1" | tr -d '\000' | tr -s ' \t\r\n' ' ') in
    '<'* | ' <'*) die "the answer for $1 is a web page: a proxy or a login stands between this machine and $from" ;;
    esac
}

check_sum() {
    if command -v sha256sum >/dev/null; then sum=sha256sum
    elif command -v shasum >/dev/null; then sum='shasum -a 256'
    else die 'neither sha256sum nor shasum is in PATH, so the download cannot be checked: install one of them'
    fi
    wanted=$(awk -v name="$archive" '$2 == name && length($1) == 64 { print $1; exit }' "$work/SHA256SUMS")
    [ -n "$wanted" ] || die "SHA256SUMS of $from has no line for $archive: that release has no program for $system on $processor"
    found=$($sum "$work/$archive" | cut -d ' ' -f 1)
    [ "$found" = "$wanted" ] || die "$archive is not the released file, it was changed or cut off on its way: its sha256 is $found, not $wanted"
}

# An attestation says that the release workflow of the repository made these very bytes. `gh` asks GitHub for it.
check_attestation() {
    case $repository in https://github.com/*/*) why='' ;; *) why='the repository is not on GitHub' ;; esac
    if [ -n "$why" ]; then :
    elif ! command -v gh >/dev/null; then why='gh is not in PATH'
    elif ! gh attestation verify --help >/dev/null 2>&1; then why='this gh is too old'
    elif ! gh auth status >/dev/null 2>&1; then why='gh is not logged in'
    fi
    if [ -n "$why" ]; then
        [ -z "$attested" ] || die "the attestation of $archive cannot be checked: $why"
        return 0
    fi
    owner_and_name=${repository#https://github.com/}
    gh attestation verify "$work/$archive" --repo "$owner_and_name" \
        --signer-workflow "$owner_and_name/.github/workflows/release.yml" >"$work/words" 2>&1 ||
        die "the attestation of $archive does not hold: $(words)"
    say "attested by the release workflow of $owner_and_name"
}

# Unpacks one file and nothing else of the archive, into $fresh.
unpack() {
    fresh=$work/yatsu-hook-$target/yatsu-hook$end
    case $archive in
    *.zip)
        command -v unzip >/dev/null || die 'unzip is not in PATH: install it'
        unzip -q "$work/$archive" "yatsu-hook-$target/yatsu-hook$end" -d "$work" 2>"$work/words"
        ;;
    *) tar -xzf "$work/$archive" -C "$work" "yatsu-hook-$target/yatsu-hook" 2>"$work/words" ;;
    esac || die "$archive cannot be unpacked: $(words)"
    chmod 755 "$fresh"
    answer=$("$fresh" --version 2>"$work/words") ||
        die "the program in $archive does not run on this machine, $system on $processor: $(words)"
    case $answer in
    "yatsu-hook ${version:-${answer#yatsu-hook }}") ;;
    *) die "the program in $archive calls itself '$answer', not yatsu-hook${version:+ $version}" ;;
    esac
}

# Says which program a shell finds, if it is another one.
say_path() {
    first=$(command -v yatsu-hook || :)
    case $first in
    "$bin/yatsu-hook$end" | "$bin/yatsu-hook") ;;
    '') say "to run it by name, put $bin in PATH" ;;
    *) say "PATH has another one before it, $first ($("$first" --version 2>/dev/null || echo 'which does not run')): put $bin first in PATH, or remove that one" >&2 ;;
    esac
}

main() {
    attested='' version='' prefix=${HOME:+$HOME/.local}
    while [ $# -gt 0 ]; do
        case $1 in
        --version) [ $# -gt 1 ] || die '--version needs a number' 2; version=${2#v}; shift ;;
        --prefix) [ $# -gt 1 ] || die '--prefix needs a directory' 2; prefix=$2; shift ;;
        --attested) attested=yes ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; die "unknown argument: $1" 2 ;;
        esac
        shift
    done
    case $version in *[!0-9A-Za-z.-]* | [!0-9]*) die "$version is no version: a number such as 0.1.0 is expected" 2 ;; esac
    [ -n "$prefix" ] || die 'HOME is not set: say where to install, with --prefix DIR' 2
    case $prefix in /* | [A-Za-z]:*) ;; *) prefix=$PWD/$prefix ;; esac
    bin=$prefix/bin
    repository=${YATSU_HOOK_REPOSITORY:-$repository}
    repository=${repository%/}
    system=$(uname -s) processor=$(uname -m)
    place
    target=$(target)
    end='' archive=yatsu-hook-$target.tar.gz
    case $target in *-windows-*) end=.exe archive=yatsu-hook-$target.zip ;; esac

    # in the file system of the program, so that the last step is one rename
    { mkdir -p "$bin" && work=$(mktemp -d "$bin/.yatsu-hook.XXXXXX"); } 2>/dev/null ||
        die "$bin cannot be written to: choose another place with --prefix DIR"
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' INT TERM HUP
    [ ! -d "$bin/yatsu-hook$end" ] || die "$bin/yatsu-hook$end is a directory: choose another place with --prefix DIR"
    fetch SHA256SUMS
    fetch "$archive"
    check_sum
    check_attestation
    unpack
    mv -f "$fresh" "$bin/yatsu-hook$end" || die "$bin/yatsu-hook$end cannot be replaced"
    say "installed $bin/yatsu-hook$end, $answer"
    say_path
}

# the last line: a copy of this file that was cut off does nothing
main "$@"
