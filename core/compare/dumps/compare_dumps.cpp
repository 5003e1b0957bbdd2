#include "compare/dumps/compare_dumps.h"

#include <algorithm>
#include <limits>

#include "analysis/errors/computable_outputs.h"
#include "analysis/errors/output_errors.h"
#include "analysis/twin_setup.h"
#include "base/error.h"
#include "base/number_text.h"
#include "calibration/feed_loop.h"
#include "compare/broken_numbers.h"
#include "compare/cone_run.h"
#include "compare/dumps/batched_dumps.h"
#include "compare/dumps/match_dumps.h"
#include "compare/layer_pairs.h"
#include "compare/matching/match_values.h"
#include "compare/wanted_run.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {
namespace {

// A value of the model that the device has written.
struct Dump {
  const DumpedValue* dumped = nullptr;
  bool byHand = false;
  ValueId value;
  InputCone cone;
  bool runnable = false;
  double step = 0;  ///< of its grid; 0 = it has none
};

// A dump against what it should be.
struct DumpError {
  ErrorSums sums;
  std::size_t broken = 0;  // see brokenPairs()

  void add(const DumpError& other) {
    sums.add(other.sums);
    broken += other.broken;
  }
};

struct DumpMeasures {
  DumpError error;
  MinMax reference;
  MinMax dumped;
  bool measured = false;
  DumpError own;
};

/// The measurements of one feed.
struct DumpedFeedMeasures {
  std::vector<DumpMeasures> dumps;
  std::vector<OutputRecord> outputs;
};

// Codes that a simulation under a configuration does not have stand on the grid of the output.
double stepOf(const ComparedModel& model, const AppliedQuantization* applied, ValueId value) {
  double step = 0;
  if (const std::size_t index = model.find(value); index != kNoValue) {
    for (const ValueId member : model.values()[index].members) {
      const CodeGrids* const grids = model.grids(member);
      if (grids == nullptr) continue;
      for (const float scale : grids->scale.values<float>()) {
        step = std::max(step, static_cast<double>(scale));
      }
    }
  }
  const NodeId producer = model.graph()[value].producer;
  if (applied == nullptr || !producer.valid()) return step;
  const Node& node = model.graph()[producer];
  for (const auto& [output, params] : (*applied)[producer].outputs) {
    if (output >= node.outputs.size() || node.outputs[output] != value) continue;
    for (const Grid& grid : params.grids) step = std::max(step, static_cast<double>(grid.scale));
  }
  return step;
}

std::vector<Dump> dumpsInOrder(const ComparedModel& model, const AppliedQuantization* applied,
                               const DumpFolder& folder, const NamedMatches& byHand,
                               ModelComparison& result) {
  const Graph& graph = model.graph();
  const auto [found, unmatched] = matchDumps(model.engine(), folder, byHand);
  result.secondUnmatched = unmatched;
  const InputCones cones(graph);
  std::vector<Dump> dumps;
  const auto add = [&, &found = found](ValueId value) {
    const auto dumped = found.find(value);
    if (dumped == found.end()) {
      result.firstUnmatched.push_back(graph[value].name);
      return;
    }
    Dump dump{dumped->second.dumped,        dumped->second.byHand, value, {}, false,
              stepOf(model, applied, value)};
    dump.cone = cones.of(
        value, [&](ValueId input) { return found.contains(input); },
        [&](ValueId input) { return model.engine().constant(input) == nullptr; });
    dump.runnable = isRunnable(model.engine(), dump.cone);
    dumps.push_back(std::move(dump));
  };
  for (const ValueId input : graph.inputs()) {
    if (found.contains(input)) add(input);
  }
  for (const NodeId node : graph.main().nodes) {
    for (const ValueId output : graph[node].outputs) {
      if (output.valid() && model.engine().constant(output) == nullptr) add(output);
    }
  }
  if (!dumps.empty()) return dumps;
  throw Error(ErrorCode::InvalidParameters, "the dumps hold no value that the model has",
              {.file = folder.path().string(), .node = {}, .value = {}},
              "give the model that was run, and its values' names in the manifest");
}

std::size_t commonSamples(const std::vector<Dump>& dumps, const DumpFolder& folder,
                          const SampleSource& source) {
  std::size_t samples = source.sampleCount();
  for (const Dump& dump : dumps) {
    samples = std::min(samples, folder.sampleCount(*dump.dumped));
  }
  if (samples > 0) return samples;
  throw Error(ErrorCode::InvalidData, "the dumps hold no sample",
              {.file = folder.path().string(), .node = {}, .value = {}}, "dump at least one");
}

DumpError errorOf(const Tensor& expected, const Tensor& actual, const Dump& dump) {
  if (expected.elementCount() != actual.elementCount()) {
    throw Error(
        ErrorCode::InvalidData,
        "the dump has the shape " + toString(actual.shape()) + " where the model computes " +
            toString(expected.shape()),
        {.file = dump.dumped->files.front().string(), .node = {}, .value = dump.dumped->name},
        "dump the model and the samples that are given");
  }
  const std::span<const float> reference = expected.values<float>();
  const std::span<const float> value = actual.values<float>();
  DumpError error{errorSums(reference, value), 0};
  if (error.sums.nonFinite > 0) error.broken = brokenPairs(reference, value);
  return error;
}

// The dump in the type of the value, so that the model's kernels take it.
Tensor asValue(const ComparedModel& model, ValueId value, const Tensor& dumped,
               const Tensor& expected) {
  if (dumped.type() == expected.type()) return dumped.reshaped(expected.shape());
  return model.tensorOf(value, toFloat32(toLayout(dumped, Layout::Plain)))
      .reshaped(expected.shape());
}

// Outputs of the network that were dumped, each once, as indices.
std::vector<std::size_t> dumpedOutputs(const Graph& graph, const std::vector<Dump>& dumps,
                                       std::vector<std::string>& missing) {
  std::vector<std::size_t> indices;
  for (const ValueId output : realOutputs(graph)) {
    const auto found = std::ranges::find(dumps, output, &Dump::value);
    if (found == dumps.end()) {
      missing.push_back(graph[output].name);
    } else {
      indices.push_back(static_cast<std::size_t>(found - dumps.begin()));
    }
  }
  return indices;
}

// Of the first `samples` samples of the feed. `outputs`: among the dumps.
DumpedFeedMeasures measureFeed(const ComparedModel& model, const AppliedQuantization* applied,
                               const std::vector<Dump>& dumps,
                               const std::vector<std::size_t>& outputs, const DumpFolder& folder,
                               const Feed& feed, std::size_t samples, const Tensors& simulated) {
  DumpedFeedMeasures result{std::vector<DumpMeasures>(dumps.size()),
                            {outputs.size(), OutputRecord()}};
  std::vector<DumpMeasures>& measures = result.dumps;
  Tensors given = simulated;
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    const auto expected = simulated.find(dumps[i].value);
    if (expected == simulated.end()) continue;
    const Tensor dumped = dumpedFeed(folder, *dumps[i].dumped, feed, samples, expected->second);
    const Tensor reference = countedRows(expected->second, feed, samples);
    const Tensor counted = countedRows(dumped, feed, samples);
    measures[i].error = errorOf(reference, counted, dumps[i]);
    measures[i].reference = minMax(reference.values<float>());
    measures[i].dumped = minMax(counted.values<float>());
    given[dumps[i].value] = asValue(model, dumps[i].value, dumped, expected->second);
    if (const auto output = std::ranges::find(outputs, i); output != outputs.end()) {
      result.outputs[static_cast<std::size_t>(output - outputs.begin())] =
          measureOutput(reference, counted.reshaped(reference.shape()), samples, samples,
                        comesFromSoftmax(model.graph(), dumps[i].value));
    }
  }
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    const auto dumped = given.find(dumps[i].value);
    if (!dumps[i].runnable || dumped == given.end()) continue;
    const Tensor follows =
        runCone(model.engine(), dumps[i].cone, dumps[i].value, given, {}, applied, feed.batch);
    if (!follows.defined()) continue;
    measures[i].measured = true;
    measures[i].own = errorOf(countedRows(follows, feed, samples),
                              countedRows(dumped->second, feed, samples), dumps[i]);
  }
  return result;
}

void fold(const DumpMeasures& measures, DumpMeasures& all) {
  all.error.add(measures.error);
  all.reference.merge(measures.reference);
  all.dumped.merge(measures.dumped);
  all.measured = all.measured || measures.measured;
  all.own.add(measures.own);
}

// Where a layer cannot be run by itself, the whole run has to tell.
const DumpError& tellingError(const DumpMeasures& measures) {
  return measures.measured ? measures.own : measures.error;
}

bool leaves(const Dump& dump, const DumpMeasures& measures) {
  if (tellingError(measures).broken > 0) return true;
  const ErrorSums& error = tellingError(measures).sums;
  if (error.squaredError <= 0) return false;
  // One rounding may fall the other way.
  if (dump.step > 0 && error.maxAbsoluteError <= 1.01 * dump.step) return false;
  const std::optional<double> db = sqnrDb(error);
  return !db || *db < kLeavesDb;
}

// How far it is from what it should be.
Suspect suspectOf(std::size_t layer, const DumpMeasures& measures) {
  const DumpError& error = tellingError(measures);
  if (error.broken > 0) {
    return {layer, brokenText(error.broken, error.sums.count + error.sums.nonFinite),
            std::numeric_limits<double>::infinity()};
  }
  const double db = sqnrDb(error.sums).value_or(0);
  const std::string what = measures.measured
                               ? "it does not follow from the dumped values before it: "
                               : "it differs from the simulation: ";
  return {layer, what + decibelText(db), kLeavesDb - db};
}

ComparedLayer layerOf(const Graph& graph, const Dump& dump, const DumpMeasures& measures) {
  ComparedLayer layer;
  layer.firstValue = graph[dump.value].name;
  layer.secondValue = dump.dumped->name;
  layer.confidence = 1;
  layer.how = name(dump.byHand ? MatchReason::Hand : MatchReason::Name);
  layer.firstLayer = layer.secondLayer = makerName(graph, dump.value);
  layer.isInput = !graph[dump.value].producer.valid();
  layer.error = metricsOfPairs(measures.error.sums, measures.error.broken);
  if (measures.measured) layer.own = metricsOfPairs(measures.own.sums, measures.own.broken);
  layer.firstRange = rangeOf(measures.reference);
  layer.secondRange = rangeOf(measures.dumped);
  return layer;
}

}  // namespace

ModelComparison compareDumps(const Engine& engine, const AppliedQuantization* applied,
                             const DumpFolder& folder, const NamedMatches& byHand,
                             SampleSource& source, const Labels& labels, JobContext& job) {
  const ComparedModel model(engine);
  ModelComparison result;
  const std::vector<Dump> dumps = dumpsInOrder(model, applied, folder, byHand, result);
  result.samples = commonSamples(dumps, folder, source);
  result.synthetic = source.synthetic();
  const std::vector<std::size_t> outputs =
      dumpedOutputs(engine.graph(), dumps, result.firstOutputsOnly);
  std::vector<OutputErrors> outputErrors;
  for (const std::size_t i : outputs) {
    outputErrors.emplace_back(engine.graph(), dumps[i].value, labels.classes);
  }
  std::vector<ValueId> wanted;
  for (const Dump& dump : dumps) {
    wanted.push_back(dump.value);
    wanted.insert(wanted.end(), dump.cone.inputs.begin(), dump.cone.inputs.end());
  }
  const WantedRun simulation(engine, std::move(wanted));

  std::vector<DumpMeasures> all(dumps.size());
  job.beginStage("Comparing", result.samples, "samples");
  forEachFeed(
      source, job,
      [&](const Feed& feed) {
        if (feed.firstSample >= result.samples) return DumpedFeedMeasures();
        const std::size_t samples = std::min(feed.samples, result.samples - feed.firstSample);
        return measureFeed(model, applied, dumps, outputs, folder, feed, samples,
                           simulation.run(feed, applied, job));
      },
      [&](const Feed& feed, const DumpedFeedMeasures& measures) {
        for (std::size_t i = 0; i < measures.dumps.size(); ++i) fold(measures.dumps[i], all[i]);
        for (std::size_t i = 0; i < measures.outputs.size(); ++i) {
          outputErrors[i].add(measures.outputs[i], feed.firstSample);
        }
      },
      result.samples);
  if (!labels.classes.empty()) requireLabelledOutput(outputErrors, labels);
  for (const OutputErrors& errors : outputErrors) result.outputs.push_back(errors.result());

  for (std::size_t i = 0; i < dumps.size(); ++i) {
    result.layers.push_back(layerOf(engine.graph(), dumps[i], all[i]));
    if (!leaves(dumps[i], all[i])) continue;
    if (!result.firstLeaving) result.firstLeaving = i;
    result.suspects.push_back(suspectOf(i, all[i]));
  }
  std::ranges::stable_sort(result.suspects, std::greater<>(), &Suspect::score);
  return result;
}

}  // namespace quantscope
