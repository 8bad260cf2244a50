# Sourced by the tests that open what the program wrote in a browser: `browser PROGRAM PACKAGE...` sets $here, $program,
# $chromium and $work, a directory that is deleted at the end, with the npm packages in $work/node; `isolated` runs a command
# without this machine's git configuration, home and environment. Needs node, npm and Chromium: /usr/bin/chromium, or
# YATSU_CHROMIUM.
name=$(basename "$0")
fail() { echo "$name: $1" >&2; exit 1; }

browser() {
    here=$(cd "$(dirname "$0")" && pwd)
    program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
    [ -x "$program" ] || { echo "$name: $program is not executable" >&2; exit 2; }
    shift
    chromium=${YATSU_CHROMIUM:-/usr/bin/chromium}
    [ -x "$chromium" ] || fail "there is no $chromium: apt-get install chromium, or set YATSU_CHROMIUM"
    work=$(mktemp -d)
    trap 'cd /; rm -rf "$work"' EXIT
    trap 'exit 1' INT TERM HUP
    mkdir "$work/home" "$work/node"
    (cd "$work/node" && npm install --silent --no-audit --no-fund "$@" >"$work/npm" 2>&1) ||
        fail "$* could not be had from npm: $(tail -1 "$work/npm")"
}

isolated() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 TZ=UTC GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
        "$@"
}
