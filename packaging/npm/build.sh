#!/bin/sh
# Makes npm packages of a built program: one for its platform, and the main one that chooses among them.
# usage: build.sh PROGRAM OS CPU OUTPUT      OS: linux, darwin or win32, CPU: x64 or arm64, as node names them
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 4 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
program=$1 os=$2 cpu=$3 output=$4
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
licence='MIT OR Apache-2.0'
text='Keeps a repository honest about what was measured, in git hooks'

end=
[ "$os" != win32 ] || end=.exe
platform=$output/yatsu-hook-$os-$cpu
mkdir -p "$platform/bin" "$output/yatsu-hook"
cp "$program" "$platform/bin/yatsu-hook$end"
chmod 755 "$platform/bin/yatsu-hook$end"
cat >"$platform/package.json" <<END
{
  "name": "yatsu-hook-$os-$cpu",
  "version": "$version",
  "description": "The yatsu-hook program for $os $cpu",
  "license": "$licence",
  "os": ["$os"],
  "cpu": ["$cpu"],
  "files": ["bin"],
  "preferUnplugged": true
}
END

cp "$here/launcher.js" "$output/yatsu-hook/launcher.js"
chmod 755 "$output/yatsu-hook/launcher.js"
cat >"$output/yatsu-hook/package.json" <<END
{
  "name": "yatsu-hook",
  "version": "$version",
  "description": "$text",
  "license": "$licence",
  "bin": { "yatsu-hook": "launcher.js" },
  "files": ["launcher.js"],
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
