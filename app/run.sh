#!/bin/sh
# Builds Quantscope and analyses the bundled sample: sh app/run.sh
set -eu
cd "$(dirname "$0")/.."
. app/setup.sh

# shellcheck disable=SC2086 # the list is meant to be split
install_packages $BUILD_PACKAGES
# The tests need more packages, so they wait until somebody asks for them.
if [ -f build/release/CMakeCache.txt ]; then
  build quantscope-cli
else
  build quantscope-cli -DQUANTSCOPE_TESTS=OFF
fi

sample=samples/digits_mobilenet
report=$PWD/build/report
build/release/bin/quantscope-cli analyze "$sample.onnx" --data "$sample.npz" \
  --labels "$sample.labels.npy" --out "$report"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
  xdg-open "$report/report.html" || echo "Nothing here opens it by itself: open it in a browser"
fi
