#!/bin/sh
# Adds to the files of a release what is made from all of them: SHA256SUMS, get.sh with the address of the repository, the
# formula for Homebrew and the manifest for Scoop. It prints the names that it wrote.
# usage: finish.sh DIRECTORY REPOSITORY      REPOSITORY: an address such as https://github.com/OWNER/yatsu-hook
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
"$here/address.sh" "$2"
repository=${2%/}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
download=$repository/releases/download/v$version
text='Git hooks that know which measurements still hold'
cd "$1"

sed "s#^repository=\$#repository=$repository#" "$here/get.sh" >get.sh
grep -qx "repository=$repository" get.sh
chmod 755 get.sh
rm -f SHA256SUMS yatsu-hook.rb yatsu-hook.json
sums=$(sha256sum -- *)
printf '%s\n' "$sums" >SHA256SUMS
sum() { awk -v name="$1" '$2 == name { print $1 }' SHA256SUMS; }
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-gnu; do
    case $target in *-windows-*) end=zip ;; *) end=tar.gz ;; esac
    [ -f "yatsu-hook-$target.$end" ] || { printf 'there is no yatsu-hook-%s.%s\n' "$target" "$end" >&2; exit 1; }
done

# part INDENT TARGET: where the archive of a target is
part() {
    printf '%surl "%s/yatsu-hook-%s.tar.gz"\n%ssha256 "%s"\n' "$1" "$download" "$2" "$1" "$(sum "yatsu-hook-$2.tar.gz")"
}
on() {
    printf '  on_%s do\n    on_arm do\n%s\n    end\n    on_intel do\n%s\n    end\n  end\n' "$1" \
        "$(part '      ' "aarch64-$2")" "$(part '      ' "x86_64-$2")"
}
cat >yatsu-hook.rb <<END
class YatsuHook < Formula
  desc "$text"
  homepage "$repository"
  version "$version"
  license any_of: ["MIT", "Apache-2.0"]

$(on macos apple-darwin)

$(on linux unknown-linux-gnu)

  def install
    bin.install "yatsu-hook"
    man1.install "man/yatsu-hook.1"
    bash_completion.install "completions/yatsu-hook.bash" => "yatsu-hook"
    zsh_completion.install "completions/_yatsu-hook"
    fish_completion.install "completions/yatsu-hook.fish"
  end

  test do
    assert_equal "yatsu-hook #{version}", shell_output("#{bin}/yatsu-hook --version").chomp
  end
end
END

windows=yatsu-hook-x86_64-pc-windows-gnu
cat >yatsu-hook.json <<END
{
    "version": "$version",
    "description": "$text",
    "homepage": "$repository",
    "license": "MIT|Apache-2.0",
    "architecture": {
        "64bit": {
            "url": "$download/$windows.zip",
            "hash": "$(sum "$windows.zip")",
            "extract_dir": "$windows"
        }
    },
    "bin": "yatsu-hook.exe",
    "checkver": {
        "github": "$repository"
    },
    "autoupdate": {
        "architecture": {
            "64bit": {
                "url": "$repository/releases/download/v\$version/$windows.zip"
            }
        },
        "hash": {
            "url": "\$baseurl/SHA256SUMS"
        }
    }
}
END
printf '%s\n' SHA256SUMS get.sh yatsu-hook.rb yatsu-hook.json
