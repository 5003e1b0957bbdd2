#!/bin/sh
# Speed of the observers against PyTorch's, both with two threads, in turns on the same machine:
#
#   [PYTHON=python3] sh tests/bench/compare_observers.sh [ROUNDS]
#
# Medians over ROUNDS (default 3) in 10^9 elements per second. A ratio above 1 says that Quantscope
# is faster: histogram/2048 beside HistogramObserver, with 2^18 elements at a time and with 2^21,
# model_report/per-channel beside ModelReportObserver. Ours finds range and counts of samples one
# after the other, and per channel also the lower tail and four moments, which PyTorch's does not.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-/usr/bin/python3}

table='
import json, statistics, sys
runs = [json.loads(line) for line in sys.stdin]
ours = [{kernel["name"]: kernel["gelem_per_s"] for kernel in run["kernels"]} for run in runs[::2]]
print("%-28s%12s%12s%9s" % ("observer", "Quantscope", "PyTorch", "ratio"))
for name in runs[1]:
    a = statistics.median(run[name] for run in ours)
    b = statistics.median(run[name] for run in runs[1::2])
    print("%-28s%12.3f%12.4f%9.1f" % (name, a, b, a / b))
'

round() {
  "$root/build/release/bin/quantscope-cli" bench kernels --filter histogram --filter model_report \
    --threads 2 --quiet --json - |
    tr -d '\n'
  echo
  "$python" "$root/tests/peers/torch_observers.py"
}

for i in $(seq "${1:-3}"); do round; done | "$python" -c "$table"
