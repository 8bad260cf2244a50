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

const ZSH: &str = r#"#compdef yatsu-hook
_yatsu_hook() {
    local -a found
    found=("${(@f)$(YATSU_COMPLETE=zsh _YATSU_COMPLETE_INDEX=$((CURRENT - 1)) ${words[1]} -- "${words[@]}" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _yatsu_hook yatsu-hook
"#;

const FISH: &str = r#"complete -c yatsu-hook -a '(YATSU_COMPLETE=fish yatsu-hook -- (commandline -opc) (commandline -ct) 2>/dev/null)'
"#;

/// The script for this shell, named or by its path; `None` for one that nobody knows.
pub(super) fn script(shell: &str) -> Option<String> {
    let text = match shell.rsplit('/').next()? {
        "bash" => BASH,
        "zsh" => ZSH,
        "fish" => FISH,
        _ => return None,
    };
    Some(text.to_owned())
}
