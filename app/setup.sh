# shellcheck shell=sh disable=SC2034
# Shared by app/run.sh, tests/run.sh and tests/fuzz/run.sh: packages, configuration and build.
# Sourced, POSIX sh.

BUILD_PACKAGES="ca-certificates ccache cmake g++ ninja-build pkg-config libcairo2-dev
  libcli11-dev libdnnl-dev libeigen3-dev libglpk-dev libhwy-dev libigraph-dev libjpeg62-turbo-dev libonnx-dev
  libpcre2-dev libpng-dev libprotobuf-dev libsqlite3-dev libtbb-dev libxxhash-dev libzip-dev
  nlohmann-json3-dev zlib1g-dev fonts-open-sans libqt6opengl6-dev libqt6svg6 qt6-base-dev qt6-charts-dev
  qt6-svg-dev"

# For tests/fuzz/run.sh alone: a compiler with libFuzzer.
FUZZ_PACKAGES="clang-19 libclang-rt-19-dev libomp-19-dev"

is_debian_12() {
  [ -r /etc/os-release ] || return 1
  (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

# missing_packages PACKAGE...: prints those that are not installed; all where dpkg is unknown.
missing_packages() {
  for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
    [ "$status" = installed ] || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages PACKAGE...: installs what is missing on Debian 12; elsewhere names it and stops.
install_packages() {
  [ -z "${QUANTSCOPE_SKIP_PACKAGES:-}" ] || return 0
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if ! is_debian_12; then
    echo "This system is not Debian 12, so nothing is installed. Still needed, by Debian's names:"
    echo "  $missing"
    echo "Install their counterparts and start again with QUANTSCOPE_SKIP_PACKAGES=1."
    exit 1
  fi
  echo "Installing from Debian: $missing"
  as_root apt-get update -q
  # shellcheck disable=SC2086 # the list is meant to be split
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

# build TARGET [CMAKE-OPTION...]: the release preset, from the project's folder.
build() {
  target=$1
  shift
  cmake --preset release "$@"
  cmake --build --preset release --target "$target"
}
