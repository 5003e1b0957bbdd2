#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace quantscope::cli {

// CLI11's own range tells its type and limits in every line of the help.

/// Whole numbers from `low` to `high`.
CLI::Validator wholeNumber(std::uint64_t low, std::uint64_t high);

/// Numbers of seconds above 0.
CLI::Validator secondsAboveZero();

}  // namespace quantscope::cli
