#pragma once

#include <memory>
#include <string>

#include "analysis/analysis_result.h"
#include "analysis/cost/model_cost.h"
#include "graph/graph.h"
#include "precision/config/configuration.h"

namespace quantscope::test {

struct ReportFixture {
  std::shared_ptr<const Graph> graph;
  AnalysisResult result;
  Configuration config{};
  ModelCost cost{.macs = 4'550'000, .meanBits = 8.5};
  LayerResult& layer(const std::string& name);
};

/// A small network with a layer of every kind that a report has to show: a fused convolution, a
/// data mover, a layer left in float, a branch inside an If, one that could not be computed, an
/// error of zero, and a value without signal. All figures are made up and fixed.
ReportFixture smallReport();

/// A deep network with skips and parallel branches: `layers` convolutions, each with figures
/// that depend on its number alone.
ReportFixture deepReport(std::size_t layers);

}  // namespace quantscope::test
