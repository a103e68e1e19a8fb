#!/usr/bin/env bash
# Every feature alone, none, and all: each must build without a warning. The default set is what the tests run with.
set -euo pipefail
cd "$(dirname "$0")/.."

features=$(cargo metadata --no-deps --offline --locked --format-version 1 | python3 -c '
import json, sys
features = json.load(sys.stdin)["packages"][0]["features"]
print("\n".join(name for name in features if name != "default"))')

export RUSTFLAGS="${RUSTFLAGS:-} -D warnings"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/features"
check() {
    echo "features: ${*:-none}"
    cargo check --quiet --locked --no-default-features --lib --bins "$@"
}
check
for feature in $features; do
    check --features "$feature"
done
check --all-features

# No hidden use of std: a target that has none, where it is installed.
if rustup target list --installed 2>/dev/null | grep -qx thumbv7em-none-eabihf; then
    cargo check --quiet --locked --no-default-features --lib --target thumbv7em-none-eabihf
    echo "features: none, without std"
else
    echo "features: no target without std is installed; skipped"
fi
