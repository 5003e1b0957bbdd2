#pragma once

#include <optional>
#include <span>

#include "analysis/errors/error_metrics.h"

namespace quantscope {

/// The name and explanation of one figure of ErrorMetrics, the same in every report.
struct MetricDescription {
  const char* key;         ///< in report.json
  const char* title;       ///< of a column
  const char* unit;        ///< "dB"; "" = a plain ratio; "value" = the unit of the layer's output
  const char* definition;  ///< one sentence that also says what is good
  std::optional<double> ErrorMetrics::*figure;
};

/// All metrics, the one that colours mean first.
std::span<const MetricDescription> metricCatalogue();

}  // namespace quantscope
