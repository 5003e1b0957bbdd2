#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "kernels/min_max.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The grid of one tensor in one of two models.
struct ComparedGrid {
  int bits = 0;  ///< 0 = floats
  std::vector<float> scales;
  std::vector<std::int32_t> zeroPoints;
};

/// A pair of values, and of the layers that make them.
struct ComparedLayer {
  std::string firstValue;
  std::string secondValue;
  double confidence = 0;  ///< of the match, 0 … 1
  std::string how;        ///< see MatchReason
  std::string firstLayer;
  std::string secondLayer;
  bool isInput = false;  ///< of the network: no layer makes it
  ErrorMetrics error;    ///< of the second against the first, with all errors before it
  /// Of the second model's layer on the first model's values against the first model's layer;
  /// absent where it cannot be run by itself.
  std::optional<ErrorMetrics> own;
  /// How much larger the own error is than rounding to the types in use makes it, in dB.
  std::optional<double> excessDb;
  std::optional<Range> firstRange;  ///< of the values
  std::optional<Range> secondRange;
  ComparedGrid output;  ///< of the second model
  ComparedGrid weight;
  std::optional<double> weightCosine;  ///< between the two models' weights, folds undone
};

/// A layer whose error its inputs, types and rounding do not explain.
struct Suspect {
  std::size_t layer = 0;  ///< of ModelComparison::layers
  std::string reason;     ///< one sentence
  double score = 0;       ///< how far its error is from explained: dB
};

/// Nothing where there is no finite element.
inline std::optional<Range> rangeOf(const MinMax& extremes) {
  if (extremes.empty()) return std::nullopt;
  return Range{extremes.min, extremes.max, false};
}

/// Two models side by side.
struct ModelComparison {
  std::string first;  ///< file names without folders
  std::string second;
  std::size_t samples = 0;
  bool synthetic = false;
  std::vector<ComparedLayer> layers;        ///< by match, in the second model's execution order
  std::vector<std::string> firstUnmatched;  ///< values
  std::vector<std::string> secondUnmatched;
  std::vector<Suspect> suspects;  ///< the worst first
  std::vector<OutputResult> outputs;
  /// Of a comparison with dumps: the first of `layers` that leaves the simulation.
  std::optional<std::size_t> firstLeaving;
};

}  // namespace quantscope
