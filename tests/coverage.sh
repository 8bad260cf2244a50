#!/bin/sh
# Runs the worked examples of docs/coverage.md: installs each tool from its registry, measures a scratch copy of
# tests/coverage/shop with it, and calls the commands of the tool's section. Prints a table; exits 1 when a cell is not right
# or a tool could not be installed.
#   commands   each command ends with exit 0 and prints the lines that the page shows below it
#   reading    the scenario's one undeclared file is found, in `scan --format json`, and nothing else of any scenario
#   suggested  `coverage suggest --format json` proposes that file, and the file that was loaded is not proposed
#   declared   with it in the list the finding ends without a new measurement, and the reading is fresh
#   stale      then an edit of the file makes the reading stale
#
# usage: tests/coverage.sh PROGRAM [pytest|vitest|jest|go|cargo-llvm-cov]...
#   PROGRAM  the yatsu-hook to be called
# Needs git and python3; for each tool its language. COVERAGE_DIR keeps the installed tools for the next run, COVERAGE_PAGE is
# another page. cargo llvm-cov takes the LLVM of Debian, where the toolchain has none and one of its version is installed.
set -eu

usage() { sed -n '11,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "coverage.sh: $1" >&2; exit 1; }

[ $# -ge 1 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
page=${COVERAGE_PAGE:-$here/../docs/coverage.md}
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "coverage.sh: $program is not executable" >&2; exit 2; }
shift
[ $# -gt 0 ] || set -- pytest vitest jest go cargo-llvm-cov

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
tools=${COVERAGE_DIR:-$work/tools}
mkdir -p "$tools" "$work/bin"
tools=$(cd "$tools" && pwd)
cp "$program" "$work/bin/yatsu-hook"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
export CARGO_INSTALL_ROOT="$tools/cargo" CARGO_TARGET_DIR="$tools/target"
PATH="$work/bin:$tools/python/bin:$tools/cargo/bin:$PATH"
bad=0

# Sets heading, language, cart, price, gift and menu, the four files, and test, the file of the cart's test.
describe() {
    case $1 in
    pytest) heading=pytest language=python cart=src/shop/cart.py price=src/shop/price.py gift=src/shop/gift.py menu=src/shop/menu.py test=tests/test_cart.py other=tests/test_menu.py ;;
    vitest) heading=vitest language=node cart=src/cart.js price=src/price.js gift=src/gift.js menu=src/menu.js test=test/cart.test.js other=test/menu.test.js ;;
    jest) heading=jest language=jest cart=src/cart.js price=src/price.js gift=src/gift.js menu=src/menu.js test=test/cart.test.js other=test/menu.test.js ;;
    go) heading='go test' language=go cart=cart/cart.go price=price/price.go gift=gift/gift.go menu=menu/menu.go test=cart/cart_test.go other=menu/menu_test.go ;;
    cargo-llvm-cov) heading='cargo llvm-cov' language=rust cart=src/cart.rs price=src/price.rs gift=src/gift.rs menu=src/menu.rs test=tests/cart.rs other=tests/menu.rs ;;
    *) usage ;;
    esac
}

# The lines of the section, a command after `$ `, and below it what it has to print.
section() {
    awk -v heading="### $heading" '/^##/ { inside = ($0 == heading); next } inside && /^    / { print substr($0, 5) }' "$page"
}

# Tools that are no one's command: an environment for pip, and LLVM of the compiler's version.
prepare() {
    case $1 in
    pytest) [ -x "$tools/python/bin/pip" ] || python3 -m venv "$tools/python" ;;
    cargo-llvm-cov)
        host=$(rustc -vV | sed -n 's/^host: //p') llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
        if [ ! -x "$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-cov" ]; then
            command -v "llvm-cov-$llvm" "llvm-profdata-$llvm" >"$work/said" || { echo "no llvm-cov of version $llvm" >"$work/said"; return 1; }
            export LLVM_COV="llvm-cov-$llvm" LLVM_PROFDATA="llvm-profdata-$llvm"
        fi
        ;;
    go) command -v go >"$work/said" 2>&1 ;;
    vitest | jest) command -v npm >"$work/said" 2>&1 ;;
    esac
}

scenario() {
    printf '  - name: %s\n    description: run %s\n    expected: it passes\n    tags: [cli]\n    test: %s\n    code: [%s]\n' "$1" "$2" "$2" "$3"
}

declare_code() {
    { echo '---'; echo 'scenarios:'; scenario cart "$test" "$1"; scenario menu "$other" "$menu"; echo '---'; } >.spec/shop/yatsu.md
}

new_repository() {
    rm -rf "$work/shop"
    cp -R "$here/coverage/shop/$language" "$work/shop"
    cd "$work/shop"
    git init -q -b main
    printf '/coverage*\n/junit.xml\n/lcov.info\n/node_modules/\n/package-lock.json\n/.coverage\n/.pytest_cache/\n/Cargo.lock\n' >.git/info/exclude
    mkdir -p .spec/shop
    printf -- '---\ntitle: Shop\n---\n' >.spec/shop/spec.md
    declare_code "$cart"
    git add -A
    git commit -q -m shop
}

# usage: run_page; every command of the section, in order. An answer of 2: the tool could not be installed.
run_page() {
    section >"$work/section"
    grep -q '^\$ ' "$work/section" || fail "$page has no commands below ### $heading"
    while IFS= read -r line; do
        case $line in
        '$ '*)
            command=${line#??}
            if ! sh -c "$command" >"$work/said" 2>&1 </dev/null; then
                printf '%s\n' "failed: $command" | cat - "$work/said" >>"$work/why"
                case $command in *install*) return 2 ;; *) return 1 ;; esac
            fi
            ;;
        *)
            grep -qxF -- "$line" "$work/said" || { printf '%s\n' "$command" "does not print: $line" 'but:' | cat - "$work/said" >>"$work/why"; return 1; }
            ;;
        esac
    done <"$work/section"
}

# usage: holds EXPRESSION COMMAND...; the expression sees what the command prints as JSON, as `j`, and `price` and `gift`
holds() {
    expression=$1
    shift
    "$@" >"$work/said" 2>>"$work/why" || [ $? -eq 1 ]
    PRICE=$price GIFT=$gift CART=$cart python3 -c "
import json, os, sys
j, price, gift, cart = json.load(open(sys.argv[1])), os.environ['PRICE'], os.environ['GIFT'], os.environ['CART']
found = lambda: [(f['scenario'], f['undeclared']) for f in j['findings'] if f['rule'] == 'under-declared']
state = lambda: [s['state'] for s in j['scenarios'] if s['scenario'] == 'cart']
sys.exit(not ($expression))" "$work/said" 2>>"$work/why" || { printf '%s\n' "$* is not: $expression" | cat - "$work/said" >>"$work/why"; return 1; }
}

coverage_file() { section | sed -n 's/.*coverage suggest .* --coverage \([^ ]*\).*/\1/p' | tail -1; }

reading() { holds "found() == [('cart', [price])]" yatsu-hook scan --format json; }
suggested() {
    holds "j['added'] == [price] and j['code'] == sorted([cart, price]) and gift not in [r['path'] for r in j['ran']]" \
        yatsu-hook coverage suggest shop/cart --coverage "$(coverage_file)" --format json
}
declared() {
    git add -A && git commit -q -m measured
    declare_code "$cart, $price"
    git commit -qam declared
    holds 'found() == []' yatsu-hook scan --format json && holds "state() == ['fresh']" yatsu-hook ls --format json
}
stale() {
    printf '\n' >>"$price"
    holds "state() == ['stale']" yatsu-hook ls --format json
}

answer() { if "$@"; then echo yes; else echo NO; fi; }
row() { printf '%-16s %-14s %-9s %-10s %-9s %s\n' "$@"; }

row tool commands reading suggested declared stale
for tool; do
    describe "$tool"
    : >"$work/why"
    if ! prepare "$tool"; then
        cat "$work/said" >>"$work/why"
        row "$tool" 'not installed' - - - -
    else
        new_repository
        status=0
        run_page || status=$?
        case $status in
        0) row "$tool" yes "$(answer reading)" "$(answer suggested)" "$(answer declared)" "$(answer stale)" ;;
        2) row "$tool" 'not installed' - - - - ;;
        *) row "$tool" NO - - - - ;;
        esac
    fi
    if [ -s "$work/why" ]; then bad=1; sed 's/^/    | /' "$work/why"; fi
done
exit "$bad"
