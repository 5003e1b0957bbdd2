#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "detectors/findings/finding.h"
#include "kernels/statistics/min_max.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The grid of one tensor in one of two models.
struct ComparedGrid {
  int bits = 0;  ///< 0 = floats
  bool isSigned = false;
  std::vector<float> scales;
  std::vector<std::int32_t> zeroPoints;
};

/// What a detector says of a layer of the first model on the grids of the second.
struct DetectedReason {
  std::string detector;  ///< its name in the registry
  Severity severity = Severity::Info;
  std::string text;  ///< one sentence
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
  /// Of the first model: the value whose numbers are on `output`, and the constant whose are on
  /// `weight`; empty where there is no such grid.
  std::string roundedValue;
  std::string roundedWeight;
  std::optional<double> weightCosine;   ///< between the two models' weights, folds undone
  std::vector<DetectedReason> reasons;  ///< the most severe first
};

/// A layer whose error its inputs, types and rounding do not explain.
struct Suspect {
  std::size_t layer = 0;  ///< of ModelComparison::layers
  std::string reason;     ///< one sentence
  double score = 0;       ///< how far its error is from explained: dB
};

/// A sub-graph that was not looked into: what it computes is compared where it leaves it.
struct SkippedBody {
  std::string node;       ///< whose body it is
  std::string op;         ///< "If", "Loop", "Scan"
  std::string body;       ///< "then", "else", "body"
  std::size_t nodes = 0;  ///< in it
  std::string reason;     ///< "no sample takes it"
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
  std::size_t rearranged = 0;  ///< how many of the unmatched only move elements
  std::vector<SkippedBody> firstSkipped;
  std::vector<SkippedBody> secondSkipped;
  std::vector<Suspect> suspects;  ///< the worst first
  /// Why no detector has looked at the layers; empty = they have.
  std::string notDetected;
  std::vector<OutputResult> outputs;  ///< of both models
  /// Outputs that were compared, but whose values are nothing that matches: something else.
  std::vector<std::string> unlikeOutputs;
  std::vector<std::string> firstOutputsOnly;   ///< outputs that the second model does not have
  std::vector<std::string> secondOutputsOnly;  ///< outputs that the first does not have
  /// Of a comparison with dumps: the first of `layers` that leaves the simulation.
  std::optional<std::size_t> firstLeaving;
};

}  // namespace quantscope
