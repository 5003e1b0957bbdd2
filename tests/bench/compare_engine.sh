#!/bin/sh
# Speed of the engine against ONNX Runtime, one after the other on each model, two threads:
#
#   QUANTSCOPE_PEERS=DIRECTORY sh tests/bench/compare_engine.sh [MODEL.onnx DATA.npz]...
#
# Without arguments: the bundled networks, and the catalogue where QUANTSCOPE_MODELS is set. A ratio
# above 1 says that Quantscope is faster.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
export NODE_PATH="${QUANTSCOPE_PEERS:?names the folder where onnxruntime-node is installed}/node_modules"

row='const [name, ours, peer] = process.argv.slice(1);
const [a, b] = [ours, peer].map((text) => JSON.parse(text));
const columns = [
  a.ms_per_sample.toFixed(3), b.ms_per_sample.toFixed(3),
  (b.ms_per_sample / a.ms_per_sample).toFixed(2), a.samples_per_s.toFixed(1),
  b.samples_per_s.toFixed(1), (a.samples_per_s / b.samples_per_s).toFixed(2),
];
console.log(name.padEnd(32) + columns.map((text) => text.padStart(11)).join(""));'

compare() {
  ours=$("$root/build/release/bin/quantscope-cli" bench engine "$1" --data "$2" --threads 2 \
    --quiet --json -)
  peer=$(node "$root/tests/peers/onnxruntime_bench.js" "$1" "$2")
  node -e "$row" "$(basename "$1" .onnx)" "$ours" "$peer"
}

printf '%-32s%11s%11s%11s%11s%11s%11s\n' model ms "ORT ms" ratio samples/s "ORT's" ratio
if [ $# -gt 0 ]; then
  while [ $# -gt 1 ]; do
    compare "$1" "$2"
    shift 2
  done
  exit
fi
for name in digits_mobilenet digits_transformer; do
  compare "$root/samples/$name.onnx" "$root/samples/$name.npz"
done
[ -n "${QUANTSCOPE_MODELS:-}" ] || exit 0
for data in "$QUANTSCOPE_MODELS"/*.npz; do
  compare "${data%.npz}.onnx" "$data"
done
