#!/bin/sh
# Builds Quantscope and opens its window on the bundled network: sh app/run.sh
# Without a display it builds the command line alone, analyses the network headless and says where
# the report is.
set -eu
cd "$(dirname "$0")/.."
. app/setup.sh

# shellcheck disable=SC2086 # the list is meant to be split
install_packages $BUILD_PACKAGES
# Tests take longer to build than the program, so they wait until somebody asks for them.
tests=
[ -f build/release/CMakeCache.txt ] || tests=-DQUANTSCOPE_TESTS=OFF

sample=samples/digits_mobilenet
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  # shellcheck disable=SC2086 # nothing, or one option
  build quantscope $tests
  build/release/bin/quantscope "$sample.onnx" --data "$sample.npz" \
    --labels "$sample.labels.npy" &
  window=$!
  trap 'kill "$window"' INT TERM
  # Beside the window, which is open already.
  build quantscope-cli || echo "the command line could not be built" >&2
  wait "$window"
else
  # shellcheck disable=SC2086 # nothing, or one option
  build quantscope-cli $tests
  build/release/bin/quantscope-cli analyze "$sample.onnx" --data "$sample.npz" \
    --labels "$sample.labels.npy" --out "$PWD/build/report"
fi
