#!/bin/sh
# Speed of the engine against ONNX Runtime with all its optimizations, two threads each:
#
#   QUANTSCOPE_PEERS=DIRECTORY sh tests/bench/compare_engine.sh [MODEL.onnx DATA.npz]...
#
# Without arguments: the bundled networks; where QUANTSCOPE_MODELS names it, the catalogue's float
# models; and torchvision's, where Debian's python3-torchvision is installed. The two take turns for
# QUANTSCOPE_ROUNDS rounds (default 3) of QUANTSCOPE_SECONDS (default 1) per measurement; figures are
# medians: one sample alone on both threads, and samples per second. A ratio above 1 says that
# Quantscope is faster. The summary is over the models that take ONNX Runtime 0.3 ms and more.
# QUANTSCOPE_RUN, such as 'chrt -f 50', stands before both where other programs must not disturb.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
export NODE_PATH="${QUANTSCOPE_PEERS:?names the folder where onnxruntime-node is installed}/node_modules"
rounds=${QUANTSCOPE_ROUNDS:-3}
seconds=${QUANTSCOPE_SECONDS:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The catalogue's models that use the data of another one.
borrowers='fns_candy=fns_mosaic_std gtcrn=gtcrn_simple silero_vad=silero_vad_16k_op15
  ultraface_rfb320_simplified=ultraface_rfb320'

compare() {
  : > "$scratch/ours"
  : > "$scratch/peer"
  round=0
  while [ $round -lt "$rounds" ]; do
    ${QUANTSCOPE_RUN:-} "$root/build/release/bin/quantscope-cli" bench engine "$1" --data "$2" --threads 2 \
      --seconds "$seconds" --quiet --json - | tr -d '\n' >> "$scratch/ours"
    echo >> "$scratch/ours"
    ${QUANTSCOPE_RUN:-} node "$root/tests/peers/onnxruntime_bench.js" "$1" "$2" "$seconds" \
      >> "$scratch/peer"
    round=$((round + 1))
  done
  node "$root/tests/bench/speed_ratios.js" row "$(basename "$1" .onnx)" "$scratch/ours" \
    "$scratch/peer" "$scratch/all"
}

node "$root/tests/bench/speed_ratios.js" header
if [ $# -gt 0 ]; then
  while [ $# -gt 1 ]; do
    compare "$1" "$2"
    shift 2
  done
else
  for name in digits_mobilenet digits_transformer; do
    compare "$root/samples/$name.onnx" "$root/samples/$name.npz"
  done
  if [ -n "${QUANTSCOPE_MODELS:-}" ]; then
    for data in "$QUANTSCOPE_MODELS"/*.npz; do
      compare "${data%.npz}.onnx" "$data"
    done
    for pair in $borrowers; do
      compare "$QUANTSCOPE_MODELS/${pair%=*}.onnx" "$QUANTSCOPE_MODELS/${pair#*=}.npz"
    done
  fi
  if /usr/bin/python3 -c 'import torchvision' 2> /dev/null; then
    exported=$root/build/bench
    /usr/bin/python3 "$root/tests/bench/export_torchvision.py" "$exported" > /dev/null
    for data in "$exported"/torchvision_*.npz; do
      compare "${data%.npz}.onnx" "$data"
    done
  else
    echo 'torchvision: not compared, python3-torchvision is not installed'
  fi
fi
node "$root/tests/bench/speed_ratios.js" summary "$scratch/all"
