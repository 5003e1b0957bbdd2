#include "analysis/analyze.h"

#include <algorithm>

#include "analysis/layer_errors.h"
#include "analysis/layer_report.h"
#include "analysis/output_errors.h"
#include "analysis/summary.h"
#include "base/error.h"
#include "calibration/feed_loop.h"

namespace quantscope {
namespace {

// What the histograms of each layer's output span: the calibrated range, or nothing.
std::vector<std::optional<Range>> histogramRanges(const Engine& engine, const QuantizedModel& model,
                                                  const Observations& observations) {
  std::vector<std::optional<Range>> ranges;
  for (const LayerQuantization& layer : model.layers) {
    const ValueId output = engine.graph()[layer.layer.last()].outputs.at(0);
    const bool known = output.valid() && observations.observed(output);
    ranges.push_back(known ? std::optional(observations.range(output, ObserverSpec{}))
                           : std::nullopt);
  }
  return ranges;
}

void requireSomething(const AnalysisResult& result) {
  for (const LayerResult& layer : result.layers) {
    if (layer.accumulated) return;
  }
  std::string why = "no layer of the model can be computed";
  if (!result.notComputed.empty()) {
    why += ": the operator " + result.notComputed.front().op + " is not supported";
  }
  throw Error(ErrorCode::UnsupportedOperation, why, {},
              "export the model with standard ONNX operators");
}

// Told with the first samples: accuracy is what the labels were given for.
void requireLabelledOutput(const std::vector<OutputErrors>& outputs,
                           std::span<const std::int64_t> labels) {
  if (std::ranges::any_of(outputs, &OutputErrors::takesLabels)) return;
  throw Error(ErrorCode::InvalidData,
              "the labels fit no output of the model, the largest is " +
                  std::to_string(std::ranges::max(labels)),
              {}, "give class indices from 0 for a model that gives a score to each class");
}

}  // namespace

AnalysisResult analyze(const Engine& engine, const PrecisionConfig& config,
                       const QuantizedModel& model, const Observations& observations,
                       SampleSource& source, std::span<const std::int64_t> labels,
                       JobContext& job) {
  if (source.sampleCount() == 0) {
    throw Error(ErrorCode::InsufficientData, "there are no samples to analyse",
                {.file = source.description(), .node = {}, .value = {}}, "give at least one");
  }
  const Graph& graph = engine.graph();
  const Plan plan = planForAllValues(engine);
  const TwinSetup setup(engine, plan, model, histogramRanges(engine, model, observations));
  LayerErrors layers(model.layers.size());
  std::vector<OutputErrors> outputs;
  for (const ValueId output : graph.outputs()) outputs.emplace_back(graph, output, labels);

  job.beginStage("Analysing", source.sampleCount());
  forEachFeed(
      source, job, [&](const Feed& feed) { return runTwins(setup, feed, job); },
      [&](const Feed& feed, TwinErrors&& errors) {
        layers.add(errors);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          outputs[i].add(feed, errors.referenceOutputs[i], errors.quantizedOutputs[i]);
        }
        if (!labels.empty() && feed.firstSample == 0) requireLabelledOutput(outputs, labels);
      });

  AnalysisResult result;
  result.data = source.description();
  result.synthetic = source.synthetic();
  result.samples = source.sampleCount();
  result.backend = config.backend;
  result.scheme = describeScheme(config);
  result.configJson = toJson(config);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    result.layers.push_back(layerResult(setup, observations, layers, i));
  }
  for (const OutputErrors& output : outputs) result.outputs.push_back(output.result());
  result.notComputed = listNotComputed(engine, plan, model);
  result.summary = summarize(engine, model, observations);
  requireSomething(result);
  return result;
}

}  // namespace quantscope
