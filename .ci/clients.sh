#!/usr/bin/env bash
# Runs every example against the mock server, in odd pieces, and compares what they print.
set -euo pipefail
cd "$(dirname "$0")/.."
case=openai-chat/002-index-missing-parallel-chunks.sse
build=(cargo build --quiet --locked)
"${build[@]}" --examples
"${build[@]}" --manifest-path examples/clients/Cargo.toml
examples="${CARGO_TARGET_DIR:-target}/debug/examples"
clients="${CARGO_TARGET_DIR:-examples/clients/target}/debug"

work=$(mktemp -d)
servers=()
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; rm -rf "$work"' EXIT
# Starts a server that prints its address first; what it prints goes to the file NAME.
serve() {
    local name=$1
    shift
    "$@" >"$work/$name" 2>"$work/$name-errors" &
    servers+=("$!")
    until_lines "$name" 1
    read -r address <"$work/$name"
}
# Waits until a file has some lines.
until_lines() {
    for _ in $(seq 200); do
        [ "$(wc -l <"$work/$1")" -ge "$2" ] && return
        sleep 0.05
    done
    echo "examples: $1 has fewer than $2 lines"
    exit 1
}

"$examples/sans_io" <"corpora/$case" >"$work/expected"
grep -q '{' "$work/expected" || { echo "examples: sans_io shows no call"; exit 1; }
same() {
    diff "$work/expected" "$2" || { echo "examples: $1 differs"; exit 1; }
    echo "examples: $1"
}

"$examples/framed" <"corpora/$case" >"$work/framed"
same framed "$work/framed"
"$examples/live_view" <"corpora/$case" >"$work/live_view"
[ "$(wc -l <"$work/live_view")" = "$(wc -l <"$work/expected")" ] && ! grep -v ' ok ' "$work/live_view"
echo "examples: live_view"
"$examples/typed_arguments" >"$work/typed"
grep -q '^call_1: 21 degrees (Fahrenheit) in Lima$' "$work/typed"
grep -q '^call_2: the arguments of `weather` do not fit: unknown field `town`' "$work/typed"
grep -q '^call_3: .*malformed\|^call_3: .*weather' "$work/typed"
echo "examples: typed_arguments"

serve provider "$examples/mock_server" corpora --chunk 7 --delay 1
provider=$address
for client in reqwest hyper ureq; do
    "$clients/$client" "$provider/$case" >"$work/$client" 2>"$work/$client-errors"
    same "$client" "$work/$client"
done
"$clients/tracing" "$provider/$case" >"$work/tracing"
[ "$(grep -c 'call parsed' "$work/tracing")" = "$(wc -l <"$work/expected")" ]
echo "examples: tracing"

# Through the proxy: the same bytes, and the proxy has seen the same calls.
serve proxy "$clients/axum_proxy" "$provider"
python3 - "$address/$case" >"$work/through" <<'P'
import sys, urllib.request
sys.stdout.buffer.write(urllib.request.urlopen(urllib.request.Request(sys.argv[1], data=b"{}")).read())
P
cmp "corpora/$case" "$work/through"
until_lines proxy "$(($(wc -l <"$work/expected") + 1))"
tail -n +2 "$work/proxy" >"$work/seen"
same axum_proxy "$work/seen"
