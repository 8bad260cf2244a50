#!/usr/bin/env bash
# A machine that holds nothing but cargo, a C compiler and git: the two commands of the README, and a malformed commit between
# them. Prints what each step said; exits 1 when one of them did not do what the README promises.
#
# usage: tests/fresh-machine.sh [--keep DIR] [--without-tests]
#   --keep DIR       where the root file system is made and stays; the next run uses it again
#   --without-tests  stops before `cargo test --locked`
# Needs root, debootstrap, unshare, a Debian mirror and crates.io. The Rust toolchain is the one of this machine, as rustup
# would have put it there: Debian's own is too old.
set -euo pipefail

fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
step() { printf '\n== %s\n' "$1"; }

keep='' tests=yes
while [ $# -gt 0 ]; do
    case $1 in
    --keep) [ $# -gt 1 ] || fail '--keep needs a directory'; keep=$2; shift ;;
    --without-tests) tests=no ;;
    *) sed -n '5,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || fail 'a root file system is made by root alone'
command -v debootstrap >/dev/null || fail 'debootstrap is not installed'

sources=$(cd "$(dirname "$0")/.." && pwd)
toolchain=$(cd "$sources" && rustc --print sysroot)
if [ -n "$keep" ]; then
    mkdir -p "$keep"
    root=$(cd "$keep" && pwd)/root
else
    keep=$(mktemp -d)
    root=$keep/root
    trap 'rm -rf --one-file-system "$keep"' EXIT
fi
trap 'exit 1' INT TERM HUP

step 'a root file system with a C compiler and git'
if [ ! -e "$root/made" ]; then
    mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list.d/*.sources \
        /etc/apt/sources.list 2>/dev/null | head -n 1) || true
    debootstrap --variant=minbase --include=gcc,libc6-dev,git,ca-certificates stable "$root" "${mirror:-https://deb.debian.org/debian}" \
        >"$keep/debootstrap.log" 2>&1 || { tail -n 5 "$keep/debootstrap.log" >&2; fail 'debootstrap'; }
    chroot "$root" useradd --create-home --shell /bin/sh dev
    touch "$root/made"
fi
rm -rf "$root/home/dev" "$root/opt/rust"
install -d -o 1000 -g 1000 "$root/home/dev"
mkdir -p "$root/opt/rust"
# the certificates of this machine, which its registry may need
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
git clone -q --no-local "$sources" "$root/home/dev/yatsu-hook"
chroot "$root" chown -R dev: /home/dev
for absent in python3 node strace valgrind c++ make pkg-config cmake perl-doc; do
    [ ! -e "$root/usr/bin/$absent" ] || fail "$absent is there: the machine is not bare"
done

# Runs a line as the user `dev` in the clone, with the toolchain in PATH and nothing else of this machine's environment.
inside() {
    unshare --mount --pid --fork --kill-child sh -eu -c '
        mount --bind "$2" "$1/opt/rust"
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec chroot --userspec=dev:dev "$1" /usr/bin/env -i HOME=/home/dev USER=dev LANG=C.UTF-8 \
            PATH=/home/dev/.cargo/bin:/opt/rust/bin:/usr/local/bin:/usr/bin:/bin sh -c "cd ~/yatsu-hook && $3"
    ' inside "$root" "$toolchain" "$1"
}

step './install.sh'
inside './install.sh' >"$keep/install.txt" 2>&1 || { tail -n 20 "$keep/install.txt"; fail './install.sh'; }
tail -n 12 "$keep/install.txt"
grep -q '^installed; the repository has no errors$' "$keep/install.txt" || fail 'install did not say that it is done'
grep -Eq '[0-9]+ (warning|scenario)|nothing' "$keep/install.txt" || fail 'no score was shown'

step 'a malformed commit'
inside '
    git config user.name dev && git config user.email dev@localhost
    mkdir .spec/malformed && printf "%s\n" --- "scenarios: [{name: a" --- >.spec/malformed/yatsu.md
    git add .spec/malformed && git commit -qm malformed' >"$keep/commit.txt" 2>&1 && fail 'the malformed commit went through'
cat "$keep/commit.txt"
grep -q '^\.spec/malformed/yatsu\.md:[0-9]*:[0-9]*: error\[yatsu-schema\]' "$keep/commit.txt" || fail 'the line was not named'
inside 'git reset -q --hard && rm -rf .spec/malformed'

[ "$tests" = yes ] || { printf '\nset up and guarded; the tests were not run\n'; exit 0; }
step 'cargo test --locked'
inside 'cargo test --locked' >"$keep/tests.txt" 2>&1 || { grep -E '^(test .*FAILED|---- |error|test result)' "$keep/tests.txt" | head -n 40; fail 'cargo test --locked'; }
grep '^test result' "$keep/tests.txt"
printf '\na fresh machine needed nothing else\n'
