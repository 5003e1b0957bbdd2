#!/bin/sh
# Builds the Debian package and proves that it installs on a fresh Debian 12 and works there:
#   sh tests/package.sh
# In a folder of its own, made with debootstrap; needs root and Debian's archive.
set -eu
cd "$(dirname "$0")/.."
. app/setup.sh

# shellcheck disable=SC2086 # the list is meant to be split
install_packages $BUILD_PACKAGES debootstrap
build all
(cd build/release && cpack -G DEB)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase bookworm "$folder/root" http://deb.debian.org/debian >"$folder/log" ||
  { tail -n 5 "$folder/log"; exit 1; }
cp build/release/quantscope_*_amd64.deb "$folder/root/tmp/quantscope.deb"
[ ! -r /etc/apt/sources.list ] || cp /etc/apt/sources.list "$folder/root/etc/apt/"
chroot "$folder/root" sh -eu -c '
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends /tmp/quantscope.deb
  samples=/usr/share/quantscope/samples
  quantscope-cli --version
  quantscope-cli export $samples/digits_mobilenet.onnx --data $samples/digits_mobilenet.npz \
    --samples 8 --format qdq-onnx --out /tmp/exported.onnx
  # A window that stays open until it is told to go.
  status=0
  QT_QPA_PLATFORM=offscreen timeout 10 quantscope $samples/digits_mobilenet.onnx || status=$?
  [ $status -eq 124 ] || { echo "the window ended with status $status"; exit 1; }
  grep -q "Exec=quantscope" /usr/share/applications/quantscope.desktop
  test -r /usr/share/mime/packages/quantscope.xml
  test -r /usr/share/bash-completion/completions/quantscope-cli
'
echo "the package installs on a fresh Debian 12, exports and opens a window"
