#!/bin/sh
# Refuses what is no address of a repository: it goes into files that other programs read.
# usage: address.sh REPOSITORY
case ${1-} in
*[!A-Za-z0-9:/._~-]*) ;;
https://*/*) exit 0 ;;
esac
printf 'no address of a repository: %s\n' "${1-}" >&2
exit 2
