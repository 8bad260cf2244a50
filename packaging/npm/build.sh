#!/bin/sh
# Makes npm packages of an unpacked archive: one for its platform, and the main one that chooses among them.
# npm takes a package from a workflow only if the package names the repository of that workflow.
# usage: build.sh DIRECTORY REPOSITORY OUTPUT      DIRECTORY: yatsu-hook-TARGET, as packaging/archive.py names it
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 3 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
"$here/../address.sh" "$2"
source=$(cd "$1" && pwd)
end=''
case $source in
*/yatsu-hook-x86_64-unknown-linux-gnu) os=linux cpu=x64 ;;
*/yatsu-hook-aarch64-unknown-linux-gnu) os=linux cpu=arm64 ;;
*/yatsu-hook-x86_64-apple-darwin) os=darwin cpu=x64 ;;
*/yatsu-hook-aarch64-apple-darwin) os=darwin cpu=arm64 ;;
*/yatsu-hook-x86_64-pc-windows-gnu) os=win32 cpu=x64 end=.exe ;;
*) printf 'no name of an archive: %s\n' "$source" >&2; exit 2 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
licence='MIT OR Apache-2.0'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$3" "$work/platform/bin" "$work/main"
output=$(cd "$3" && pwd)

cp "$source/yatsu-hook$end" "$work/platform/bin/"
cp "$source"/LICENSE* "$source/sbom.cdx.json" "$work/platform/"
cat >"$work/platform/package.json" <<END
{
  "name": "yatsu-hook-$os-$cpu",
  "version": "$version",
  "description": "The yatsu-hook program for $os $cpu",
  "license": "$licence",
  "repository": { "type": "git", "url": "git+${2%/}.git" },
  "os": ["$os"],
  "cpu": ["$cpu"],
  "files": ["bin", "sbom.cdx.json", "LICENSE*"],
  "preferUnplugged": true
}
END

cp "$here/launcher.js" "$source/README.md" "$source/LICENSE-MIT" "$source/LICENSE-APACHE" "$work/main/"
chmod 755 "$work/main/launcher.js"
cat >"$work/main/package.json" <<END
{
  "name": "yatsu-hook",
  "version": "$version",
  "description": "Keeps a repository honest about what was measured, in git hooks",
  "license": "$licence",
  "repository": { "type": "git", "url": "git+${2%/}.git" },
  "bin": { "yatsu-hook": "launcher.js" },
  "files": ["launcher.js", "LICENSE*"],
  "engines": { "node": ">=18" },
  "optionalDependencies": {
    "yatsu-hook-linux-x64": "$version",
    "yatsu-hook-linux-arm64": "$version",
    "yatsu-hook-darwin-x64": "$version",
    "yatsu-hook-darwin-arm64": "$version",
    "yatsu-hook-win32-x64": "$version"
  }
}
END
cd "$work"
npm pack --silent --pack-destination "$output" ./platform ./main
