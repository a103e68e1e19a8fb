#!/usr/bin/env bash
# Another package of the same build may switch on features of serde_json that change its values. The tests must hold.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/foreign"
cargo test --quiet --locked --features serde_json/arbitrary_precision,serde_json/preserve_order,serde_json/float_roundtrip "$@"
