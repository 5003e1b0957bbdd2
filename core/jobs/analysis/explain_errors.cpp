#include "jobs/analysis/explain_errors.h"

#include <numeric>

#include "analysis/bad_layers.h"
#include "analysis/errors/contributions.h"
#include "analysis/errors/error_budget.h"
#include "analysis/sensitivity/precision_ladder.h"

namespace quantscope {
namespace {

void measureBudgets(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                    const std::vector<std::size_t>& layers, AnalysisMemory& memory, JobContext& job,
                    AnalysisResult& result) {
  const auto budgets = measureErrorBudgets(engine, model, samples, layers, memory, job);
  for (std::size_t i = 0; i < layers.size(); ++i) result.layers[layers[i]].budget = budgets[i];
}

}  // namespace

SnapshotPtr explainErrors(const SnapshotPtr& complete, AnalysisMemory& memory, JobContext& job) {
  const Engine& engine = *complete->model.engine;
  const QuantizedModel& model = *complete->quantized;
  AnalysisResult result = *complete->result;
  std::vector<std::size_t> layers(result.layers.size());
  std::iota(layers.begin(), layers.end(), std::size_t{0});
  measureBudgets(engine, model, *complete->data, layers, memory, job, result);
  result.ladder = measureLadder(engine, model, result, *complete->data, memory, job);
  auto explained = std::make_shared<AnalysisSnapshot>(*complete);
  explained->result = std::make_shared<const AnalysisResult>(std::move(result));
  return explained;
}

SnapshotPtr withContributions(const SnapshotPtr& complete, AnalysisMemory& memory,
                              JobContext& job) {
  const Engine& engine = *complete->model.engine;
  const auto contributions =
      measureContributions(engine, complete->request.config, *complete->observations,
                           *complete->quantized, *complete->data, memory, job);
  AnalysisResult result = *complete->result;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    result.layers[i].contribution = contributions[i];
  }
  auto more = std::make_shared<AnalysisSnapshot>(*complete);
  more->result = std::make_shared<const AnalysisResult>(std::move(result));
  return more;
}

void explainWorst(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                  AnalysisMemory& memory, JobContext& job, AnalysisResult& result) {
  const std::vector<std::size_t> layers = layersToExplain(result);
  if (!layers.empty()) measureBudgets(engine, model, samples, layers, memory, job, result);
}

}  // namespace quantscope
