#!/bin/sh
# Installs the programs that the other scripts here call, each at one version: cargo-auditable, which writes the dependencies
# into a program, and cargo-cyclonedx, which lists them in a file. They run for a second, so they are built fast, not well.
# usage: packaging/tools.sh
set -eu

export CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
# cargo leaves what is there in this version
cargo install --quiet --locked cargo-auditable@0.7.7
cargo install --quiet --locked cargo-cyclonedx@0.5.9
