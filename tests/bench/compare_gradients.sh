#!/bin/sh
# Speed of backward passes to all weights against PyTorch's, two threads each:
#
#   sh tests/bench/compare_gradients.sh [NAME...]
#
# NAME is one of torchvision's models that tests/bench/export_torchvision.py writes (default:
# mobilenet_v2 and resnet50); Debian's python3-torchvision has to be installed. The two take turns for
# QUANTSCOPE_ROUNDS rounds (default 3); figures are medians in ms per image. PyTorch's are those of its
# fastest batch, as it is and with batch normalizations folded, as in the exported model. A ratio
# above 1 says that Quantscope is faster. QUANTSCOPE_EXPORTED names a folder with the models.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
rounds=${QUANTSCOPE_ROUNDS:-3}
exported=${QUANTSCOPE_EXPORTED:-$root/build/bench}
[ $# -gt 0 ] || set -- mobilenet_v2 resnet50
if ! /usr/bin/python3 -c 'import torchvision' 2> /dev/null; then
  echo 'not compared: python3-torchvision is not installed'
  exit 0
fi
[ -n "${QUANTSCOPE_EXPORTED:-}" ] ||
  /usr/bin/python3 "$root/tests/bench/export_torchvision.py" "$exported" > /dev/null
for name in "$@"; do
  data=$exported/torchvision_$name.npz
  round=0
  while [ $round -lt "$rounds" ]; do
    ${QUANTSCOPE_RUN:-} "$root/build/release/bin/quantscope-cli" bench gradients \
      "${data%.npz}.onnx" --data "$data" --threads 2 --quiet --json - |
      sed -n 's/.*"backward_ms_per_sample": *\([0-9.]*\).*/\1/p'
    ${QUANTSCOPE_RUN:-} /usr/bin/python3 "$root/tests/bench/torch_gradients.py" "$name" "$data" 3
    round=$((round + 1))
  done | paste - - | sort -n | awk -v name="$name" '
    { ours[NR] = $1; plain[NR] = $2; folded[NR] = $3 }
    function middle(values, n,    i, j, swap) {
      for (i = 1; i <= n; ++i) for (j = i + 1; j <= n; ++j)
        if (values[j] < values[i]) { swap = values[i]; values[i] = values[j]; values[j] = swap }
      return values[int(n / 2) + 1]
    }
    END {
      a = middle(ours, NR); b = middle(plain, NR); c = middle(folded, NR)
      printf "%-14s ours %8.2f ms   PyTorch %8.2f ms (%.2fx)   folded %8.2f ms (%.2fx)\n",
             name, a, b, b / a, c, c / a
    }'
done
