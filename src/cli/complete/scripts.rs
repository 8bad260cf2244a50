//! The scripts that make a shell call this program for completion.

const BASH: &str = r#"_yatsu_hook() {
    local name
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(YATSU_COMPLETE=bash _YATSU_COMPLETE_INDEX="$COMP_CWORD" "$1" -- "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -o default -F _yatsu_hook yatsu-hook
"#;

/// zsh either sources the script, or finds it in `fpath`. From `fpath` it becomes the body of the completing function
/// at the first completion.
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

/// The script for this shell, given by name or path; `None` for an unknown shell.
pub(in crate::cli) fn script(shell: &str) -> Option<String> {
    let text = match shell.rsplit('/').next()? {
        "bash" => BASH,
        "zsh" => ZSH,
        "fish" => FISH,
        _ => return None,
    };
    Some(text.to_owned())
}
