#!/bin/sh
# Builds Quantscope and runs its tests: sh tests/run.sh [CTEST-OPTION...]
# With QUANTSCOPE_WARNINGS_AS_ERRORS=ON in the environment every compiler warning is an error.
set -eu
cd "$(dirname "$0")/.."
. app/setup.sh

# shellcheck disable=SC2086 # the list is meant to be split
install_packages $BUILD_PACKAGES
build all -DQUANTSCOPE_TESTS=ON \
  -DQUANTSCOPE_WARNINGS_AS_ERRORS="${QUANTSCOPE_WARNINGS_AS_ERRORS:-OFF}"
exec ctest --preset release "$@"
