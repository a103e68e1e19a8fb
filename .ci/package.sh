#!/usr/bin/env bash
# The package as it would be published: it builds from its own files, and holds no more than it should.
set -euo pipefail
cd "$(dirname "$0")/.."
listed=$(cargo package --list --allow-dirty --locked)
for wanted in Cargo.toml README.md LICENSE-MIT LICENSE-APACHE src/lib.rs; do
    grep -qx "$wanted" <<<"$listed" || { echo "package: $wanted is missing"; exit 1; }
done
if grep -E '^(corpora|fuzz|\.ci|benches/peers|examples/clients)/' <<<"$listed"; then
    echo "package: these files should stay out of it"
    exit 1
fi
# Debug: what is tested is that it builds, not how fast it is.
cargo package --quiet --allow-dirty --locked
echo "package: $(wc -l <<<"$listed") files"
