#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compare/comparison.h"

namespace quantscope {

/// How long one sample takes in a model, and how that is known.
struct ModelLatency {
  double firstMs = 0;
  double secondMs = 0;
  std::string source;      ///< "ONNX Runtime 1.30.0"
  bool estimated = false;  ///< not measured
};

/// Figures of two models as wholes.
struct ComparisonHeadline {
  /// Lost accuracy where there are labels, else lost top-1 agreement: a fraction.
  std::optional<double> accuracyDrop;
  bool fromLabels = false;
  std::optional<ModelLatency> latency;
  std::string latencyProblem;  ///< why it was not measured
  std::size_t firstBytes = 0;  ///< of the model's files
  std::size_t secondBytes = 0;

  std::optional<double> speedup() const;
  std::optional<double> compressionRatio() const;
};

/// From the comparison's first output that scores classes.
ComparisonHeadline headlineOf(const ModelComparison& comparison);

/// compare.json: {"quantscope", "float", "quantized", "samples", "matched": [{"float", "quantized",
/// "confidence", "how", "sqnr_db", "layer", …}], "unmatched": {"float", "quantized"}, "suspects":
/// [{"float", "quantized", "reason", "score"}], "outputs", "accuracy_drop", "speedup",
/// "compression_ratio", …}.
nlohmann::ordered_json comparisonJson(const ModelComparison& comparison,
                                      const ComparisonHeadline& headline);

/// The same in a few lines, for a terminal.
std::string comparisonText(const ModelComparison& comparison, const ComparisonHeadline& headline);

/// Of a comparison with dumps.
std::string dumpsText(const ModelComparison& comparison);

}  // namespace quantscope
