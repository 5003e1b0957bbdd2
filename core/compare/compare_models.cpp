#include "compare/compare_models.h"

#include <algorithm>

#include "analysis/errors/computable_outputs.h"
#include "base/error.h"
#include "compare/broken_numbers.h"
#include "compare/flat_model.h"
#include "compare/layer_pairs.h"
#include "compare/measure_pairs.h"
#include "compare/paired_inputs.h"
#include "compare/suspects.h"
#include "engine/operators/quantized/quantization_grid.h"

namespace quantscope {
namespace {

// Feeds whose elements are looked at to match values.
constexpr std::size_t kPrintedFeeds = 4;

std::size_t valueNamed(const ComparedModel& model, const std::string& name, const char* which) {
  const ValueId value = model.graph().findValue(name);
  const std::size_t index = value.valid() ? model.find(value) : kNoValue;
  if (index != kNoValue) return index;
  throw Error(ErrorCode::InvalidParameters,
              std::string("the ") + which + " model computes no value '" + name + "'", {},
              "use a name that `inspect --json -` lists");
}

HandMatches indexed(const ComparedModel& first, const ComparedModel& second,
                    const NamedMatches& byHand) {
  HandMatches matches;
  for (const auto& [ours, theirs] : byHand) {
    if (theirs.empty()) {
      matches.firstAlone.push_back(valueNamed(first, ours, "first"));
    } else if (ours.empty()) {
      matches.secondAlone.push_back(valueNamed(second, theirs, "second"));
    } else {
      matches.matched.emplace_back(valueNamed(first, ours, "first"),
                                   valueNamed(second, theirs, "second"));
    }
  }
  return matches;
}

// Runs take the first model's samples as the second wants them.
FlatModel flatTwin(const Engine& first, const Engine& second, SampleSource& source,
                   JobContext& job) {
  if (second.graph().blocks().size() < 2) return {second, source, {}, job};
  const ComparedModel ours(first);
  const ComparedModel theirs(second);
  const PairedInputs inputs(ours, theirs);
  return {second, source, [&](const Feed& feed) { return inputs.forSecond(feed); }, job};
}

/// Reads the first few feeds for both models.
std::pair<std::vector<Feed>, std::vector<Feed>> printedFeeds(const PairedInputs& inputs,
                                                             SampleSource& source) {
  std::pair<std::vector<Feed>, std::vector<Feed>> feeds;
  for (std::size_t i = 0; i < std::min(kPrintedFeeds, source.feedCount()); ++i) {
    feeds.first.push_back(source.read(i));
    feeds.second.push_back(inputs.forSecond(feeds.first.back()));
  }
  return feeds;
}

void requireShared(const ComparedModel& first, const ComparedModel& second,
                   const std::vector<ValueMatch>& matches) {
  const bool any = std::ranges::any_of(
      matches, [&](const ValueMatch& match) { return !first.values()[match.first].op.empty(); });
  if (any) return;
  // Where nothing can be computed, nothing is alike.
  requireComputableOutput(first.engine());
  requireComputableOutput(second.engine());
  throw Error(ErrorCode::InvalidParameters, "the models share no value: nothing can be compared",
              {}, "give two versions of one model, or say what matches with --matches");
}

// The number of elements, where it is known before any run.
std::optional<std::int64_t> fixedElements(const ComparedModel& model, ValueId value) {
  const auto& shape = model.graph()[value].type.shape;
  if (!shape || !std::ranges::all_of(*shape, &Dimension::known)) return std::nullopt;
  std::int64_t elements = 1;
  for (const Dimension& dimension : *shape) elements *= dimension.extent;
  return elements;
}

/// Outputs that stand for each other, and those that have no counterpart.
struct PairedOutputs {
  std::vector<OutputPair> pairs;
  std::vector<ValueId> firstOnly;
  std::vector<ValueId> secondOnly;
};

// By name, by the values' match, and of those left over by place where they may have as many
// elements. None is in two pairs.
PairedOutputs pairOutputs(const ComparedModel& first, const ComparedModel& second,
                          const std::vector<ValueMatch>& matches, const MatchedOrders& orders) {
  const auto ours = first.graph().outputs();
  const auto theirs = second.graph().outputs();
  std::vector<std::size_t> partners(ours.size(), theirs.size());  // that many = none
  std::vector<bool> taken(theirs.size());
  const auto pairWhere = [&](auto&& fits) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      for (std::size_t j = 0; j < theirs.size() && partners[i] == theirs.size(); ++j) {
        if (taken[j] || !fits(i, j)) continue;
        partners[i] = j;
        taken[j] = true;
      }
    }
  };
  pairWhere([&](std::size_t i, std::size_t j) {
    return first.graph()[ours[i]].name == second.graph()[theirs[j]].name;
  });
  pairWhere([&](std::size_t i, std::size_t j) {
    return std::ranges::any_of(matches, [&](const ValueMatch& match) {
      return match.first == first.find(ours[i]) && match.second == second.find(theirs[j]);
    });
  });
  pairWhere([&](std::size_t i, std::size_t j) {
    const auto a = fixedElements(first, ours[i]);
    const auto b = fixedElements(second, theirs[j]);
    return i == j && (!a || !b || *a == *b);
  });

  PairedOutputs result;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (partners[i] == theirs.size()) {
      result.firstOnly.push_back(ours[i]);
      continue;
    }
    const ValueId partner = theirs[partners[i]];
    const std::size_t a = first.find(ours[i]);
    const std::size_t b = second.find(partner);
    const bool known = a != kNoValue && b != kNoValue;
    result.pairs.push_back({ours[i], partner, known ? orders.between(a, b) : AxisOrder()});
  }
  for (std::size_t j = 0; j < theirs.size(); ++j) {
    if (!taken[j]) result.secondOnly.push_back(theirs[j]);
  }
  return result;
}

std::vector<std::string> namesOf(const ComparedModel& model, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(model.graph()[value].name);
  return names;
}

ComparedGrid gridOf(const CodeGrids& grids, int bits, bool isSigned) {
  ComparedGrid grid;
  if (bits == 0 || !grids.scale.defined()) return grid;
  grid.bits = bits;
  grid.isSigned = isSigned;
  const std::span<const float> scales = grids.scale.values<float>();
  grid.scales.assign(scales.begin(), scales.end());
  grid.zeroPoints = grids.zeroPoint.defined() ? zeroPointValues(grids.zeroPoint)
                                              : std::vector<std::int32_t>(scales.size());
  return grid;
}

// The name that both have, where they have one.
std::pair<std::string, std::string> valueNames(const ComparedModel& first,
                                               const ComparedModel& second,
                                               const ValueMatch& match) {
  for (const ValueId ours : first.values()[match.first].members) {
    for (const ValueId theirs : second.values()[match.second].members) {
      const std::string& name = first.graph()[ours].name;
      if (name == second.graph()[theirs].name) return {name, name};
    }
  }
  return {first.name(match.first), second.name(match.second)};
}

ComparedLayer layerOf(const ComparedModel& first, const ComparedModel& second,
                      const LayerPair& pair, const PairMeasures& measures) {
  ComparedLayer layer;
  std::tie(layer.firstValue, layer.secondValue) = valueNames(first, second, pair.match);
  layer.confidence = pair.match.confidence;
  layer.how = name(pair.match.reason);
  if (pair.axes.permutes()) layer.how += ", axes permuted " + pair.axes.text();
  layer.firstLayer = pair.firstName;
  layer.secondLayer = pair.secondName;
  layer.isInput = first.values()[pair.match.first].op.empty();
  layer.error = metricsOfPairs(measures.error, measures.broken);
  if (measures.measured) layer.own = metricsOfPairs(measures.own, measures.ownBroken);
  layer.excessDb = excessDb(pair, measures);
  layer.firstRange = rangeOf(measures.firstRange);
  layer.secondRange = rangeOf(measures.secondRange);
  if (pair.outputGrids != nullptr) {
    layer.output = gridOf(*pair.outputGrids, pair.outputBits, pair.outputSigned);
    layer.roundedValue = first.graph()[pair.first].name;
  }
  if (!pair.weights.empty()) {
    const WeightPair& weight = pair.weights.front();
    layer.weight = gridOf(weight.second.grids, weight.second.bits, weight.second.isSigned);
    const std::size_t scales = layer.weight.scales.size();
    const Node& node = first.graph()[weight.first.node];
    // Blocks, and scales along another axis than that of the channels, fit no weight of the first.
    if (scales == 1 || scales == weight.gains.size()) {
      layer.roundedWeight = first.graph()[node.inputs[weight.first.slot]].name;
    }
    layer.weightCosine = weight.cosine;
  }
  return layer;
}

void findUnmatched(const ComparedModel& first, const ComparedModel& second,
                   const std::vector<ValueMatch>& matches, ModelComparison& result) {
  std::vector<bool> ours(first.values().size());
  std::vector<bool> theirs(second.values().size());
  for (const ValueMatch& match : matches) ours[match.first] = theirs[match.second] = true;
  const auto list = [&](const ComparedModel& model, const std::vector<bool>& matched,
                        std::vector<std::string>& names) {
    for (std::size_t i = 0; i < matched.size(); ++i) {
      if (matched[i]) continue;
      names.push_back(model.name(i));
      result.rearranged += isRearranged(model.values()[i]);
    }
  };
  list(first, ours, result.firstUnmatched);
  list(second, theirs, result.secondUnmatched);
}

}  // namespace

ModelComparison compareModels(const Engine& firstEngine, const Engine& secondEngine,
                              SampleSource& source, const Labels& labels,
                              const NamedMatches& byHand, JobContext& job) {
  const FlatModel flatFirst(
      firstEngine, source, [](const Feed& feed) { return feed; }, job);
  const FlatModel flatSecond = flatTwin(firstEngine, secondEngine, source, job);
  const ComparedModel first(flatFirst.engine());
  const ComparedModel second(flatSecond.engine());
  const PairedInputs inputs(first, second);
  const HandMatches hand = indexed(first, second, byHand);
  job.beginStage("Matching", 0);
  const auto [ourFeeds, theirFeeds] = printedFeeds(inputs, source);
  const std::vector<ValuePrint> ourPrints = takePrints(first, ourFeeds, job);
  const std::vector<ValuePrint> theirPrints = takePrints(second, theirFeeds, job);
  const std::vector<ValueMatch> matches = matchValues(first, ourPrints, second, theirPrints, hand);
  requireShared(first, second, matches);
  job.throwIfCancelled();
  const MatchedOrders orders(first, ourPrints, second, theirPrints, matches);
  const std::vector<LayerPair> pairs =
      pairLayers(first, second, ourPrints, theirPrints, matches, orders);

  const PairedOutputs outputs = pairOutputs(first, second, matches, orders);
  std::vector<OutputErrors> outputErrors;
  for (const OutputPair& pair : outputs.pairs) {
    outputErrors.emplace_back(first.graph(), pair.first, labels.classes);
  }
  const std::vector<PairMeasures> measures =
      measurePairs(first, second, inputs, pairs, outputs.pairs, outputErrors, source, job);
  if (!labels.classes.empty()) requireLabelledOutput(outputErrors, labels);

  ModelComparison result;
  result.samples = source.sampleCount();
  result.synthetic = source.synthetic();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    result.layers.push_back(layerOf(first, second, pairs[i], measures[i]));
  }
  for (const OutputErrors& errors : outputErrors) result.outputs.push_back(errors.result());
  for (const OutputPair& pair : outputs.pairs) {
    const ValueMatch both{first.find(pair.first), second.find(pair.second)};
    const bool match = std::ranges::any_of(matches, [&](const ValueMatch& each) {
      return each.first == both.first && each.second == both.second;
    });
    if (!match) result.unlikeOutputs.push_back(first.graph()[pair.first].name);
  }
  result.firstOutputsOnly = namesOf(first, outputs.firstOnly);
  result.secondOutputsOnly = namesOf(second, outputs.secondOnly);
  findUnmatched(first, second, matches, result);
  result.firstSkipped = flatFirst.skipped();
  result.secondSkipped = flatSecond.skipped();
  result.suspects = findSuspects(first, pairs, measures);
  return result;
}

}  // namespace quantscope
