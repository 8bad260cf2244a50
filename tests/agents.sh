#!/bin/sh
# Installs coding agents from npm and lets each work in a scratch repository, with our hooks and a stand-in for the model on
# loopback (tests/agents). What the agent itself sends to the model shows what reached it. Prints a table; exits 1 when a cell
# is not right or an agent could not be installed.
#   start       the context of the session's start is in the first request
#   edit        the note about the edited file is in the request after the edit
#   asked once  the stop is asked about once, the agent goes on, and its next stop is let through
#   filed       the reading that the agent then filed makes the scenario fresh
#   resumed     the session goes on later, edits the file again and stops: not asked again
#   missing     the program is gone (exit 127): nothing is blocked
#   old         the program does not know the verb (exit 2): nothing is blocked
#   twice       hooks of the project and of the user: each thing is said once
#   plugin      our plugin's directory named on the harness's command line does what the hooks do
#   untrusted   without the trust that the harness wants, its hooks do not run and nothing is blocked
#   alone       the harness asked for no address but the stand-in's
# Of Cursor npm has no agent, but an SDK that holds the engine of its hooks: that is called with the events of a session.
#
# usage: tests/agents.sh [--record DIR] PROGRAM [claude|codex|cursor|gemini|copilot]...
#   --record DIR  keeps there what our program was asked, with the places of this machine replaced
#   PROGRAM       the yatsu-hook to be called
# Needs git, node with npm, python3. AGENTS_DIR keeps the installed agents (1.1 GB for all) for the next run. Where a network
# namespace can be had, the agents run in one that has loopback alone.
set -eu

usage() { sed -n '18,24s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "agents.sh: $1" >&2; exit 1; }

# The versions that docs/agents.md names.
package() {
    case $1 in
    claude) echo @anthropic-ai/claude-code@2.1.330 ;;
    codex) echo @openai/codex@0.169.0 ;;
    cursor) echo @cursor/sdk@1.0.32 ;;
    gemini) echo @google/gemini-cli@0.61.0 ;;
    copilot) echo @github/copilot@1.0.102 ;;
    *) usage ;;
    esac
}

record=
if [ "${1:-}" = --record ] && [ $# -gt 2 ]; then
    mkdir -p "$2"
    record=$(cd "$2" && pwd)
    shift 2
fi
[ $# -ge 1 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "agents.sh: $program is not executable" >&2; exit 2; }
shift
[ $# -gt 0 ] || set -- claude codex cursor gemini copilot
for agent; do package "$agent" >/dev/null; done

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
tools=${AGENTS_DIR:-$work/tools}
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)

for agent; do
    wanted=$(package "$agent")
    grep -qs "\"version\": \"${wanted##*@}\"" "$tools/node_modules/${wanted%@*}/package.json" && continue
    [ -f "$tools/package.json" ] || printf '{"private": true}\n' >"$tools/package.json"
    # Without their scripts: the programs lie in packages for the platform, and two of the scripts fetch more.
    (cd "$tools" && npm install --silent --ignore-scripts --no-audit --no-fund --save-exact "$wanted") ||
        fail "$wanted could not be installed from npm"
done

set -- python3 -B "$here/agents/drive.py" ${record:+--record "$record"} "$program" "$tools" "$@"
export TMPDIR="$work"
if unshare -rn ip link set lo up 2>/dev/null; then
    unshare -rn sh -c 'ip link set lo up && exec "$@"' sh "$@"
else
    "$@"
fi
