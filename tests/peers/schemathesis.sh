#!/usr/bin/env bash
# Checks the HTTP service against its OpenAPI document with schemathesis: no server error, and no answer with a status, a
# content type or a field that is not documented; wrong values are refused.
#
# Requires schemathesis 4 (pip install schemathesis), and a program with the service, which is built if none is named:
#
#     tests/peers/schemathesis.sh [PROGRAM]
#
# EXAMPLES is the number of requests to each route in a phase (100), SEED the seed of all choices (1).
set -euo pipefail
cd "$(dirname "$0")/../.."

program=${1:-target/release/majuscule}
if [ $# = 0 ]; then
  cargo build --locked --release -p majuscule-cli --features service
fi
program=$(realpath "$program")
folder=$(mktemp -d)
cd "$folder"
"$program" serve --listen 127.0.0.1:0 2>log &
service=$!
trap 'kill $service; rm -r "$folder"' EXIT
address=""
for _ in $(seq 100); do
  address=$(sed -n 's/^majuscule: \(http:[^ ]*\) .*/\1/p' log)
  [ -n "$address" ] && break
  sleep 0.1
done
[ -n "$address" ] || { cat log >&2; exit 1; }

check() {
  schemathesis run "${address}openapi.json" --phases examples,coverage,fuzzing --continue-on-failure \
    --max-examples "${EXAMPLES:-100}" --seed "${SEED:-1}" --no-color "$@"
}

# Not checked: that everything is accepted that the document allows, which depends on the models and on the content of
# files; and that wrong JSON is refused by a route where it may be any file, with the parameter `format`.
check --exclude-path /v1/restore --exclude-checks positive_data_acceptance
check --include-path /v1/restore --exclude-checks positive_data_acceptance,negative_data_rejection
