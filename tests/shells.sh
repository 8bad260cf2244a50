#!/usr/bin/env bash
# Completion by the shells themselves: bash, zsh and fish, each with the script that `completions SHELL` prints, in a repository
# with a scenario that is called like a command. Shells that are not here are passed over and named.
#
# usage: tests/shells.sh PROGRAM
set -euo pipefail

program=$(realpath "${1:?usage: tests/shells.sh PROGRAM}")
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/home" "$dir/fpath"
ln -s "$program" "$dir/bin/yatsu-hook"
# what is completed does not depend on how busy the machine is
export YATSU_PATIENCE=600
export PATH="$dir/bin:$PATH" HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" GIT_CONFIG_GLOBAL=/dev/null LC_ALL=C.UTF-8

git init -q -b main "$dir/repo"
cd "$dir/repo"
mkdir -p src .spec/board .spec/list
echo a >src/a.rs
entry() { printf "  - {name: '%s', description: d, expected: e, tags: [%s], code: src/a.rs}\n" "$1" "$2"; }
{ printf -- '---\nscenarios:\n'; entry renders cli; entry 'a b' cli; entry '$(touch ran)' desktop; echo ---; } >.spec/board/yatsu.md
{ printf -- '---\nscenarios:\n'; entry sorts cli; echo ---; } >.spec/list/yatsu.md
git add -A
git -c user.name=a -c user.email=a@localhost commit -qm first

# What a line is completed to, a name a line, by the shell itself. The last word is being typed.
by_bash() {
    bash --norc --noprofile -c '
        source <(yatsu-hook completions bash)
        eval "COMP_WORDS=($1)"
        case $1 in *" ") COMP_WORDS+=("") ;; esac
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _yatsu_hook yatsu-hook
        printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}
by_fish() {
    yatsu-hook completions fish >"$dir/completions.fish"
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$dir/completions.fish" "$1" | cut -f 1
}
# an interactive zsh at a pseudo-terminal, whose list of matches is what it would insert
by_zsh() {
    yatsu-hook completions zsh >"$dir/fpath/_yatsu-hook"
    timeout 60 zsh --no-rcs "$dir/drive.zsh" "$dir/fpath" "$1"
}
cat >"$dir/drive.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh --no-rcs -i
# said in pieces, so that the echo of what is typed is no mark
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $1/dump"
zpty -w shell 'told() { compadd() { builtin compadd -A matches "$@"; print -rl -- be""gin $matches e""nd >>$OUT; builtin compadd "$@" }; _main_complete; unfunction compadd; print fin""ished }'
zpty -w shell "OUT=$1/out; : >\$OUT; zle -C told list-choices told; bindkey '^X' told; print re''ady"
zpty -r shell line '*ready*' || exit 1
zpty -w -n shell "$2"$'\C-X'
zpty -r shell line '*finished*' || exit 1
sed '/^begin$/d; /^end$/d' $1/out
zpty -d shell
END

# expects SHELL LINE NAME…
expects() {
    local shell=$1 line=$2 found
    shift 2
    found=$("by_$shell" "$line" | sort -u)
    [ "$found" = "$(printf '%s\n' "$@" | sort -u)" ] || fail "$shell completes \`$line\` to: $found"
    [ ! -e ran ] || fail "$shell ran what a scenario is called"
}

for shell in bash zsh fish; do
    command -v "$shell" >/dev/null || { echo "not tried: there is no $shell"; continue; }
    expects "$shell" 'yatsu-hook ev' eval evidence
    expects "$shell" 'yatsu-hook show b' board
    expects "$shell" 'yatsu-hook ls --tag d' desktop
    expects "$shell" 'yatsu-hook explain yatsu-dr' yatsu-drift
    expects "$shell" 'yatsu-hook eval list --scenario ' sorts
    case $shell in
    # inserted as one word: bash by the program, zsh by itself, and fish shows names that it quotes when one is chosen
    bash) expects "$shell" 'yatsu-hook eval board --scenario ' "'\$(touch ran)'" "'a b'" renders ;;
    zsh) expects "$shell" 'yatsu-hook eval board --scenario ' '\$\(touch\ ran\)' 'a\ b' renders ;;
    fish) expects "$shell" 'yatsu-hook eval board --scenario ' '$(touch ran)' 'a b' renders ;;
    esac
    echo "$shell completes verbs, nodes, scenarios, tags and rules"
done
