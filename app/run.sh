#!/bin/sh
# Builds Quantscope and opens its window on the bundled network: sh app/run.sh
# Without a display it analyses the network headless and says where the report is.
set -eu
cd "$(dirname "$0")/.."
. app/setup.sh

# shellcheck disable=SC2086 # the list is meant to be split
install_packages $BUILD_PACKAGES
# Tests take longer to build than the program, so they wait until somebody asks for them.
if [ -f build/release/CMakeCache.txt ]; then
  build quantscope
else
  build quantscope -DQUANTSCOPE_TESTS=OFF
fi
build quantscope-cli

sample=samples/digits_mobilenet
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec build/release/bin/quantscope "$sample.onnx" --data "$sample.npz" \
    --labels "$sample.labels.npy"
fi
build/release/bin/quantscope-cli analyze "$sample.onnx" --data "$sample.npz" \
  --labels "$sample.labels.npy" --out "$PWD/build/report"
