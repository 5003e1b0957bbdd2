#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "analysis/errors/tensor_errors.h"
#include "quant/quant_params.h"

namespace quantscope {

// The measurements at one value in the run of one feed. Each is the same for any number of threads,
// and made once for all configurations that lead to the same values.

/// A value against its reference, per sample and channel; a sample without sums was not compared.
struct ErrorRecord {
  std::vector<ChannelSums> samples;

  bool compared() const { return !samples.empty() && !samples.front().empty(); }
};

/// The powers of a value's reference and of its error, per sample and channel: what one SQNR takes.
struct PowerRecord {
  struct Powers {
    double reference = 0;  ///< Σx²
    double error = 0;      ///< Σ(y − x)²

    void add(const Powers& other);
  };
  std::vector<std::vector<Powers>> samples;  ///< a sample without powers was not compared
};

/// Elements by equal bins of a range; elements outside count in the first and last bin.
struct BinRecord {
  static constexpr std::size_t kBins = 64;
  std::vector<std::uint32_t> counts;  ///< empty where nothing was counted
};

/// The elements of a float value beyond a grid.
struct ClipRecord {
  std::uint64_t clipped = 0;  ///< elements beyond what the grid represents
  std::uint64_t total = 0;
  double squares = 0;  ///< sum of their squared distances to what it represents
  Range range;         ///< of the finite elements
};

/// An output of the network against its reference.
struct OutputRecord {
  struct Scores {
    std::size_t expectedClass = 0;
    std::size_t actualClass = 0;
    double divergence = 0;  ///< in nats
  };
  std::vector<ErrorSums> samples;      ///< empty where it was not compared
  std::optional<std::size_t> classes;  ///< absent where the output scores no classes
  std::vector<Scores> scores;          ///< per sample, where it does
};

using AnyRecord =
    std::variant<std::shared_ptr<const ErrorRecord>, std::shared_ptr<const BinRecord>,
                 std::shared_ptr<const ClipRecord>, std::shared_ptr<const OutputRecord>,
                 std::shared_ptr<const PowerRecord>>;

/// Bytes that a record takes.
std::size_t byteSize(const AnyRecord& record);

}  // namespace quantscope
