#include "repair/repair_case.h"

#include <cmath>

#include "calibration/calibrate.h"
#include "engine/execution.h"
#include "jobs/quantize_model.h"
#include "repair/scales/fold_normalizations.h"
#include "support/graph_text.h"
#include "support/memory_source.h"

namespace quantscope::test {
namespace {

Shape inputShape(const Graph& graph) {
  std::vector<std::int64_t> extents;
  for (const Dimension& dimension : graph[graph.inputs()[0]].type.shape.value()) {
    extents.push_back(dimension.extent);
  }
  return Shape(extents);
}

}  // namespace

RepairCase::RepairCase(std::string_view text, std::string_view config, std::size_t samples,
                       int threads)
    : RepairCase(text, config, randomSamples(inputShape(*graphFromText(text)), samples, 7),
                 threads) {}

RepairCase::RepairCase(std::string_view text, std::string_view config, std::vector<Tensor> samples,
                       int threads)
    : workers(threads), job(workers) {
  const std::shared_ptr<const Graph> graph = graphFromText(text);
  state.twin = state.engine =
      std::make_shared<const Engine>(graph, workers, ContentHasher().add(text).add(config).id());
  state.config = parseConfiguration(config, "test");
  data = std::make_shared<SampleSet>(
      std::make_unique<MemorySource>(graph->inputs()[0], std::move(samples)));
  settings = observationSettings(state.config, 1);
  state.observations =
      std::make_shared<const Observations>(calibrate(*state.engine, *data, settings, job));
  state.model =
      quantizeModel(*state.engine, state.config, *state.observations, memory.parameters, &job);
  state.fixed = findFixedGrids(*state.engine, state.config, *state.model);
}

RepairState RepairCase::folded() {
  RepairTools with = tools();
  return withOverlay(state, foldNormalizations(*state.engine, *state.model, layers(), state.fixed),
                     OverlayEffect::SameValues, with);
}

RepairResult RepairCase::repair(const RepairRequest& request) {
  return repairModel(state, *data, *data, settings, {}, request, memory, job);
}

std::vector<Tensor> RepairCase::outputs(const RepairState& of, bool quantized) const {
  const Plan plan = planForOutputs(*of.engine);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < data->feedCount(); ++i) {
    const Feed feed = data->read(i);
    workers.run([&] {
      Execution execution(plan, feed.inputs, quantized ? &of.model->applied : nullptr);
      execution.run();
      results.push_back(execution.value(of.engine->graph().outputs()[0]));
    });
  }
  return results;
}

double sqnrOf(const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = x[i].values<float>();
    const auto actual = y[i].values<float>();
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const double difference = static_cast<double>(expected[j]) - actual[j];
      signal += static_cast<double>(expected[j]) * expected[j];
      noise += difference * difference;
    }
  }
  return 10 * std::log10(signal / noise);
}

}  // namespace quantscope::test
