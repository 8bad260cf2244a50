//! The scripts that make a shell ask.

const BASH: &str = r#"_yatsu_hook() {
    local name
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(YATSU_COMPLETE=bash _YATSU_COMPLETE_INDEX="$COMP_CWORD" "$1" -- "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -o default -F _yatsu_hook yatsu-hook
"#;

/// Sourced, or found by its name in `fpath`: then it is the body of the function that completes for the first time.
const ZSH: &str = r#"#compdef yatsu-hook
_yatsu_hook() {
    local -a found
    found=("${(@f)$(YATSU_COMPLETE=zsh _YATSU_COMPLETE_INDEX=$((CURRENT - 1)) ${words[1]} -- "${words[@]}" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _yatsu_hook yatsu-hook
[[ "${funcstack[1]}" != _yatsu-hook ]] || _yatsu_hook "$@"
"#;

const FISH: &str = r#"function __yatsu_hook
    set -l found (YATSU_COMPLETE=fish yatsu-hook -- (commandline -opc) (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c yatsu-hook -f -a '(__yatsu_hook)'
"#;

/// The script for this shell, named or by its path; `None` for one that nobody knows.
pub(in crate::cli) fn script(shell: &str) -> Option<String> {
    let text = match shell.rsplit('/').next()? {
        "bash" => BASH,
        "zsh" => ZSH,
        "fish" => FISH,
        _ => return None,
    };
    Some(text.to_owned())
}
