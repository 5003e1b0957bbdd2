#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/cost/model_cost.h"
#include "detectors/detector.h"
#include "graph/graph.h"
#include "precision/config/configuration.h"
#include "precision/parameters/quantized_model.h"
#include "search/advice/next_change.h"
#include "search/advice/node_changes.h"

namespace quantscope {

/// Changes of the configuration that were taken, in words, and their effect together.
struct AcceptedChanges {
  std::vector<std::string> changes;
  std::vector<NodeChange> layers;  ///< all that they change
  std::optional<double> beforeDb;  ///< SQNR of the worst output, on all samples
  std::optional<double> afterDb;
  double bytes = 0;                        ///< of constants, more than before
  std::vector<OutputChange> outputs = {};  ///< all
  std::vector<std::string> notices = {};   ///< what the data are too few for
};

/// What a report says of better configurations; null = it was not asked for.
struct ReportedChanges {
  const NextChange* next = nullptr;  ///< in the summary
  bool nothingHelps = false;         ///< it was looked for: null in the summary
  const AcceptedChanges* accepted = nullptr;
  /// The float model that the outputs are compared with; empty = the model itself.
  std::string against = {};
};

/// The result under a configuration and what detectors found as report.json: keys in a fixed order,
/// one line per layer. `model` is what was measured, a layer for each row; one without layers gives
/// no parameters. Numbers come back bit by bit; what was not computed, and NaN, is null,
/// infinities are the strings "Infinity" and
/// "-Infinity". Names that are not UTF-8 have the
/// offending bytes replaced by U+FFFD.
std::string reportJson(const AnalysisResult& result, const Configuration& config,
                       const Graph& graph, const QuantizedModel& model, const ModelCost& cost,
                       const DetectorReport& detectors, const ReportedChanges& changes = {});

/// An entry of the "outputs" of report.json.
nlohmann::ordered_json outputJson(const OutputResult& output);
/// All metrics of an error by their keys; missing ones are null.
nlohmann::ordered_json metricsJson(const ErrorMetrics& error);

}  // namespace quantscope
