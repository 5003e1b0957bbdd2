#!/bin/sh
# Builds the fuzz targets and runs them one after the other:
#   sh tests/fuzz/run.sh [SECONDS [TARGET...]]
# each so many seconds (60) from its corpus on; what they find and learn goes to build/fuzz/run.
set -eu
cd "$(dirname "$0")/../.."
. app/setup.sh

# shellcheck disable=SC2086 # the lists are meant to be split
install_packages $BUILD_PACKAGES $FUZZ_PACKAGES
cmake --preset fuzz
cmake --build --preset fuzz

seconds=${1:-60}
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
  for folder in tests/fuzz/corpora/*; do set -- "$@" "$(basename "$folder")"; done
fi
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
found=0
for target in "$@"; do
  learnt=build/fuzz/run/$target
  mkdir -p "$learnt"
  # Tensors that a model or a header asks for and that memory does not hold are refused, not found.
  build/fuzz/bin/fuzz_"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -malloc_limit_mb=0 -max_len=16384 -print_final_stats=1 -artifact_prefix="$learnt"- \
    "$learnt" tests/fuzz/corpora/"$target" >"$learnt".log 2>&1 || found=1
  printf '%-16s ' "$target"
  awk '/stat::number_of_executed_units/ {runs = $2} /cov:/ {for (i = 1; i < NF; ++i)
    if ($i == "cov:") {if (!first) first = $(i + 1); last = $(i + 1)}}
    /ERROR: |SUMMARY: / {what = $0}
    END {printf "%d runs, coverage %d -> %d  %s\n", runs, first, last, what}' "$learnt".log
done
exit $found
