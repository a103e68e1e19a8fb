#!/usr/bin/env bash
# The lowest versions that Cargo.toml allows must be enough. `-Z direct-minimal-versions` is unstable, so a stable cargo
# is told to take it all the same; needs the registry.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}/minimal-versions"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Cargo.toml src "$copy/"
# What is only for tests may be newer.
python3 - "$copy/Cargo.toml" <<'P'
import re, sys
path = sys.argv[1]
text = open(path).read()
text = re.sub(r"(?ms)^\[dev-dependencies\]\n.*?(?=^\[)", "", text)
text = re.sub(r"(?ms)^\[\[(example|bench|test)\]\]\n.*?(?=^\[|\Z)", "", text)
open(path, "w").write(text)
P
cd "$copy"
echo "toolcall" > README.md
RUSTC_BOOTSTRAP=1 cargo update --quiet -Z direct-minimal-versions
CARGO_TARGET_DIR="$target" cargo check --quiet --lib --bins --all-features
echo "minimal versions: enough"
