#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "compare/comparison.h"

namespace quantscope {

/// The time of one sample in a model, and its source.
struct ModelLatency {
  double firstMs = 0;
  double secondMs = 0;
  std::string runtime;  ///< "ONNX Runtime 1.30.0" that both were run with; empty: an estimate from
                        ///< the cost table of this machine
  bool estimated() const { return runtime.empty(); }
};

/// Figures of two models as wholes.
struct ComparisonHeadline {
  /// Lost accuracy where there are labels, else lost top-1 agreement: a fraction.
  std::optional<double> accuracyDrop;
  bool fromLabels = false;
  std::optional<ModelLatency> latency;
  std::string latencyProblem;  ///< why it was not measured; empty = it was
  std::size_t firstBytes = 0;  ///< of the model's files
  std::size_t secondBytes = 0;

  std::optional<double> speedup() const;
  std::optional<double> compressionRatio() const;
};

/// "12.3 ms -> 4.5 ms, measured by ONNX Runtime 1.30.0", or why there is no such time.
std::string latencyText(const ComparisonHeadline& headline);

/// The headline figures of the comparison's first output that scores classes.
ComparisonHeadline headlineOf(const ModelComparison& comparison);

/// compare.json: {"quantscope", "float", "quantized", "samples", "matched": [{"float", "quantized",
/// "confidence", "how", "sqnr_db", "layer", …}], "unmatched": {"float", "quantized"}, "suspects":
/// [{"float", "quantized", "reason", "score", "findings": [{"detector", "severity", "text"}]}],
/// "not_compared": {"float": [{"node", "op", "body", "nodes", "reason"}], "quantized"}, "outputs",
/// "accuracy_drop", "speedup", "compression_ratio", "latency": {"float_ms", "quantized_ms",
/// "source": "onnxruntime" or "cost table (estimate)", …}, "latency_problem", …}. Where there is no
/// speedup, "latency_problem" says why; where no detector has looked, "findings_problem" does.
nlohmann::ordered_json comparisonJson(const ModelComparison& comparison,
                                      const ComparisonHeadline& headline);

/// The same in a few lines, for a terminal.
std::string comparisonText(const ModelComparison& comparison, const ComparisonHeadline& headline);

/// The text of a comparison with dumps.
std::string dumpsText(const ModelComparison& comparison);

}  // namespace quantscope
