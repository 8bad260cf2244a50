#!/bin/sh
# Makes the Debian package of an unpacked archive for Linux. The same archive gives the same bytes.
# usage: deb.sh DIRECTORY REPOSITORY OUTPUT      DIRECTORY: yatsu-hook-TARGET, as packaging/archive.py names it; needs dpkg-deb
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 3 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
"$root/packaging/address.sh" "$2"
source=$(cd "$1" && pwd)
case $source in
*/yatsu-hook-x86_64-unknown-linux-gnu) architecture=amd64 ;;
*/yatsu-hook-aarch64-unknown-linux-gnu) architecture=arm64 ;;
*) printf 'no archive for Linux: %s\n' "$source" >&2; exit 2 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# the author of the release
maintainer=$(git -C "$root" log -1 --format='%an <%ae>')
date=$(git -C "$root" log -1 --format=%aD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
umask 022
mkdir -p "$3" "$work/DEBIAN"

put() { install -D -m "$1" "$2" "$work/usr/$3"; }
put 755 "$source/yatsu-hook" bin/yatsu-hook
put 644 "$source/completions/yatsu-hook.bash" share/bash-completion/completions/yatsu-hook
put 644 "$source/completions/_yatsu-hook" share/zsh/vendor-completions/_yatsu-hook
put 644 "$source/completions/yatsu-hook.fish" share/fish/vendor_completions.d/yatsu-hook.fish
put 644 "$source/man/yatsu-hook.1" share/man/man1/yatsu-hook.1
doc=share/doc/yatsu-hook
for name in README.md BUILD.txt sbom.cdx.json LICENSES-OF-DEPENDENCIES.txt; do put 644 "$source/$name" "$doc/$name"; done
put 644 "$source/CHANGELOG.md" "$doc/changelog"
printf '%s\n' "yatsu-hook ($version) unstable; urgency=medium" '' '  * Release; the changelog says what is new.' '' \
    " -- $maintainer  $date" >"$work/usr/$doc/changelog.Debian"
gzip -9n "$work/usr/share/man/man1/yatsu-hook.1" "$work/usr/$doc/changelog" "$work/usr/$doc/changelog.Debian"
{
    printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' 'Upstream-Name: yatsu-hook' "Source: ${2%/}" '' \
        'Files: *' "Copyright: $(sed -n 's/^Copyright (c) *//p' "$source/LICENSE-MIT" | head -n 1)" 'License: Expat or Apache-2.0' \
        'Comment: LICENSES-OF-DEPENDENCIES.txt has the licences of what is compiled in.' '' 'License: Expat'
    sed '1,/^Permission is hereby/{/^Permission is hereby/!d;}; s/^$/./; s/^/ /' "$source/LICENSE-MIT"
    printf '%s\n' '' 'License: Apache-2.0' ' On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.'
} >"$work/usr/$doc/copyright"
mkdir -p "$work/usr/share/lintian/overrides"
cat >"$work/usr/share/lintian/overrides/yatsu-hook" <<'END'
# one static program for every distribution of Linux; its sbom.cdx.json lists what is in it
yatsu-hook: statically-linked-binary [usr/bin/yatsu-hook]
yatsu-hook: embedded-library zlib [usr/bin/yatsu-hook]
# a position-independent program without a loader looks like a library
yatsu-hook: shared-library-lacks-prerequisites [usr/bin/yatsu-hook]
END
cat >"$work/DEBIAN/control" <<END
Package: yatsu-hook
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$work/usr" | cut -f 1)
Depends: git
Homepage: ${2%/}
Section: vcs
Priority: optional
Description: git hooks that know which measurements still hold
 A scenario says how to measure one behaviour and what a perfect result looks
 like. A reading files what somebody measured, with its evidence. yatsu-hook
 compares content and says, before each commit and push, which readings still
 speak for the code. It stops malformed files, evidence in the tree and edited
 lines of the ledger. It runs no code of the repository.
END
dpkg-deb --root-owner-group -Zxz --build "$work" "$3/yatsu-hook_${version}_$architecture.deb" >/dev/null
