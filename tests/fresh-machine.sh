#!/usr/bin/env bash
# Machines that hold nothing but Rust, a C compiler and git: the two commands of the README, and a malformed commit between
# them, on each of two releases of Debian, by a user without a name in the account and by root. root works in a directory
# with a blank and a letter that is not ASCII, with umask 077, LANG=C, a hostile configuration of git and no HOME; its tests run
# from an archive without `.git`, from sources that cannot be written. Prints what each step said; exits 1 when one of them
# did not do what the README promises.
#
# usage: tests/fresh-machine.sh [--keep DIR] [--only RELEASE/WHO]… [--threads N] [--without-tests]
#   --keep DIR           where the root file systems are made and stay; the next run uses them again
#   --only RELEASE/WHO   one of bookworm/user, bookworm/root, trixie/user, trixie/root; all of them without it
#   --threads N          runs N tests at a time; more than the machine has cores show a test that depends on its load
#   --without-tests      stops before `cargo test --locked`
# Needs root, debootstrap, unshare, a Debian mirror and crates.io. The Rust toolchain is the one of this machine, as rustup
# would have put it there: Debian's own is too old.
set -euo pipefail

fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
step() { printf '\n== %s: %s\n' "$machine" "$1"; }

keep='' tests=yes machines=() threads=()
while [ $# -gt 0 ]; do
    case $1 in
    --keep) [ $# -gt 1 ] || fail '--keep needs a directory'; keep=$2; shift ;;
    --only) [ $# -gt 1 ] || fail '--only needs a machine'; machines+=("$2"); shift ;;
    --threads) [ $# -gt 1 ] || fail '--threads needs a number'; threads=("RUST_TEST_THREADS=$2"); shift ;;
    --without-tests) tests=no ;;
    *) sed -n '8,14s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done
[ ${#machines[@]} -gt 0 ] || machines=(bookworm/user bookworm/root trixie/user trixie/root)
[ "$(id -u)" = 0 ] || fail 'a root file system is made by root alone'
command -v debootstrap >/dev/null || fail 'debootstrap is not installed'

sources=$(cd "$(dirname "$0")/.." && pwd)
toolchain=$(cd "$sources" && rustc --print sysroot)
if [ -n "$keep" ]; then
    mkdir -p "$keep"
    keep=$(cd "$keep" && pwd)
else
    keep=$(mktemp -d)
    trap 'rm -rf --one-file-system "$keep"' EXIT
fi
trap 'exit 1' INT TERM HUP

# A root file system with a C compiler and git, in $root.
make_root() {
    local mirror absent
    if [ ! -e "$root/made" ]; then
        mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/*.sources \
            /etc/apt/sources.list 2>/dev/null | head -n 1) || true
        debootstrap --variant=minbase --include=gcc,libc6-dev,git,ca-certificates "$release" "$root" \
            "${mirror:-https://deb.debian.org/debian}" >"$keep/debootstrap.log" 2>&1 || {
            tail -n 5 "$keep/debootstrap.log" >&2
            fail 'debootstrap'
        }
        # without a name: git cannot tell who this is
        chroot "$root" useradd --create-home --comment '' --shell /bin/sh dev
        touch "$root/made"
    fi
    # the certificates of this machine, which its registry may need
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for absent in python3 node strace valgrind c++ make pkg-config cmake jq curl ssh-keygen; do
        [ ! -e "$root/usr/bin/$absent" ] || fail "$absent is there: the machine is not bare"
    done
    mkdir -p "$root/opt/rust"
}

# Where this person works: a clone in $clone, and where tests are run, in $tested.
make_clone() {
    if [ "$who" = user ]; then
        clone=/home/dev/yatsu-hook tested=/home/dev/yatsu-hook run_as=dev:dev
        surroundings=(HOME=/home/dev USER=dev LANG=C.UTF-8) before=:
        rm -rf "$root/etc/gitconfig" "$root/home/dev"
        install -d -o 1000 -g 1000 "$root/home/dev"
        git clone -q --no-local "$sources" "$root$clone"
        chroot "$root" chown -R dev: /home/dev
        return
    fi
    clone="/srv/a bläck box/yatsu-hook" tested="/srv/ä sealed box" run_as=root:root
    surroundings=(LANG=C CARGO_HOME=/srv/cargo "CARGO_TARGET_DIR=/srv/a bläck box/target") before='umask 077'
    rm -rf "$root/srv" "$root/etc/gitconfig"
    mkdir -p "$root$tested"
    git clone -q --no-local "$sources" "$root$clone"
    git -C "$sources" archive HEAD | tar -xf - -C "$root$tested"
    printf '%s\n' '[init]' 'defaultBranch = trunk' '[core]' 'autocrlf = true' 'hooksPath = /nowhere' 'quotePath = false' \
        '[commit]' 'gpgSign = true' '[user]' 'useConfigOnly = true' '[diff]' 'noprefix = true' '[status]' 'short = true' \
        '[color]' 'ui = always' '[safe]' 'bareRepository = explicit' '[fetch]' 'prune = true' >"$root/etc/gitconfig"
}

# Runs a line in this directory as this person, with the toolchain in PATH, nothing else of this machine's environment, and no
# terminal. Sources without `.git` cannot be written.
inside() {
    unshare --mount --pid --fork --kill-child sh -eu -c '
        root=$1 toolchain=$2 run_as=$3 place=$4 line=$5
        shift 5
        mount --bind "$toolchain" "$root/opt/rust"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        if [ ! -e "$root$place/.git" ]; then
            mount --bind "$root$place" "$root$place"
            mount -o remount,bind,ro "$root$place"
        fi
        exec setsid chroot --userspec="$run_as" "$root" /usr/bin/env -i "$@" \
            PATH=/opt/rust/bin:/usr/local/bin:/usr/bin:/bin PLACE="$place" sh -c "$line"
    ' inside "$root" "$toolchain" "$run_as" "$1" "$before; cd \"\$PLACE\" && $2" "${surroundings[@]}" \
        ${threads[@]+"${threads[@]}"} </dev/null
}

try() {
    release=${machine%/*} who=${machine#*/} root=$keep/${machine%/*}
    case $machine in bookworm/user | bookworm/root | trixie/user | trixie/root) ;; *) fail "there is no machine $machine" ;; esac
    step 'a root file system with a C compiler and git'
    make_root
    make_clone
    local said=$keep/$release-$who

    step './install.sh'
    # a hooks directory that is set for every repository belongs to another tool
    [ "$who" = user ] || inside "$clone" 'git config core.hooksPath .git/hooks'
    inside "$clone" ./install.sh >"$said-install.txt" 2>&1 || {
        tail -n 20 "$said-install.txt"
        fail './install.sh'
    }
    tail -n 12 "$said-install.txt"
    grep -q '^installed; the repository has no errors$' "$said-install.txt" || fail 'install did not say that it is done'
    grep -Eq '[0-9]+ (warning|scenario)|nothing' "$said-install.txt" || fail 'no score was shown'

    step 'a malformed commit'
    inside "$clone" '
        git config user.name dev && git config user.email dev@localhost && git config commit.gpgSign false
        mkdir .spec/malformed && printf "%s\n" --- "scenarios: [{name: a" --- >.spec/malformed/yatsu.md
        git add .spec/malformed && git commit -qm malformed' >"$said-commit.txt" 2>&1 && fail 'the malformed commit went through'
    cat "$said-commit.txt"
    grep -q '^\.spec/malformed/yatsu\.md:[0-9]*:[0-9]*: error\[yatsu-schema\]' "$said-commit.txt" || fail 'the line was not named'
    inside "$clone" 'git reset -q --hard && rm -rf .spec/malformed'

    [ "$tests" = yes ] || { printf '\nset up and guarded; the tests were not run\n'; return 0; }
    step 'cargo test --locked'
    inside "$tested" 'cargo test --locked --no-fail-fast' >"$said-tests.txt" 2>&1 || {
        grep -E '^(test .*FAILED|---- |error|test result)' "$said-tests.txt" | head -n 40
        fail 'cargo test --locked'
    }
    grep '^test result' "$said-tests.txt"
}

for machine in "${machines[@]}"; do try; done
printf '\n%s machines needed nothing else\n' "${#machines[@]}"
