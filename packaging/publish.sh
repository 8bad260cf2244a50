#!/usr/bin/env bash
# Publishes the files of a draft to PyPI, npm and crates.io, from the job `publish` of .github/workflows/release.yml. The registries
# know that workflow as a trusted publisher, so there is no password. What a registry has already is left, so a run that failed
# half way is simply run again.
# usage: publish.sh DIRECTORY REPOSITORY
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
draft=$(cd "$1" && pwd) repository=$2
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -n 1)
work=$(mktemp -d)
token=''
# a token of crates.io lives for minutes; it is given back all the same
end() {
    rm -rf "$work"
    [ -z "$token" ] || curl -fsS -o /dev/null -X DELETE -H "Authorization: Bearer $token" "$tokens" || :
}
trap end EXIT

python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q 'uv>=0.9,<1'
"$work/tools/bin/uv" publish --trusted-publishing always --check-url https://pypi.org/simple/ "$draft"/*.whl

# from npm 11.5 on it asks GitHub itself; the platforms first, because the main package names them by version
npm install --silent --prefix "$work/npm" npm@11
for package in "$draft"/yatsu-hook-*-*-"$version".tgz "$draft/yatsu-hook-$version.tgz"; do
    name=${package##*/} name=${name%-"$version".tgz}
    [ "$("$work/npm/node_modules/.bin/npm" view "$name@$version" version 2>/dev/null || :)" != "$version" ] || continue
    "$work/npm/node_modules/.bin/npm" publish --access public --provenance "$package"
done

if ! cargo info --quiet "yatsu-hook@$version" --registry crates-io >/dev/null 2>&1; then
    tokens=https://crates.io/api/v1/trusted_publishing/tokens
    agent="yatsu-hook release ($repository)"
    word=$(curl -fsS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=crates.io" | jq -er .value)
    token=$(jq -n --arg jwt "$word" '{$jwt}' | curl -fsS -A "$agent" -H 'Content-Type: application/json' --data-binary @- "$tokens" | jq -er .token)
    printf '::add-mask::%s\n' "$token"
    CARGO_REGISTRY_TOKEN=$token "$here/crate.sh" --publish "$repository" "$draft"
fi
