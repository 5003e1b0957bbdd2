#include "compare/measure_pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/errors/tensor_errors.h"
#include "analysis/twin_setup.h"
#include "calibration/feed_loop.h"
#include "calibration/without_padding.h"
#include "compare/broken_numbers.h"
#include "compare/wanted_run.h"
#include "engine/fake_quantize_tensor.h"
#include "graph/channel_axis.h"
#include "graph/operator_traits.h"
#include "tensor/half.h"

namespace quantscope {
namespace {

Tensor likeShape(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape ||
      tensor.elementCount() != static_cast<std::size_t>(shape.elementCount())) {
    return tensor;
  }
  return tensor.reshaped(shape);
}

// Hardly ever has anything to count.
std::size_t brokenAmong(const ErrorSums& sums, const Tensor& reference, const Tensor& value) {
  if (sums.nonFinite == 0) return 0;
  return brokenPairs(reference.values<float>(), value.values<float>());
}

Tensor roundedTo(ElementType half, const Tensor& tensor) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  Tensor rounded(ElementType::Float32, plain.shape());
  const auto round = [half](float x) {
    return half == ElementType::BFloat16 ? toFloat(toBFloat16(x)) : toFloat(toFloat16(x));
  };
  std::ranges::transform(plain.values<float>(), rounded.mutableValues<float>().begin(), round);
  return rounded;
}

/// The two models on one feed.
class FeedMeasures {
 public:
  FeedMeasures(const ComparedModel& first, const ComparedModel& second, const Feed& feed,
               const Tensors& firstTensors, const std::vector<ChannelAxis>& channelAxes)
      : m_first(first),
        m_second(second),
        m_feed(feed),
        m_firstTensors(firstTensors),
        m_channelAxes(channelAxes) {}

  PairMeasures measure(const LayerPair& pair, const Tensor& secondTensor) const {
    PairMeasures measures;
    const auto found = m_firstTensors.find(pair.first);
    if (found == m_firstTensors.end()) return measures;
    const Tensor reference = numbers(m_first, pair.first, found->second);
    measures.firstRange = minMax(reference.values<float>());
    if (secondTensor.defined()) {
      const Tensor value = asFirst(pair, secondTensor, reference.shape());
      if (value.defined()) measures.secondRange = minMax(value.values<float>());
      if (value.defined() && value.shape() == reference.shape()) {
        measures.error = errorSums(reference.values<float>(), value.values<float>());
        measures.broken = brokenAmong(measures.error, reference, value);
      }
    }
    if (pair.runnable) measureOwn(pair, reference, measures);
    return measures;
  }

 private:
  Tensor numbers(const ComparedModel& model, ValueId value, const Tensor& tensor) const {
    return withoutPadding(model.numbers(value, tensor), m_feed);
  }

  // The numbers of the second model's value as the first holds them; undefined where other shapes
  // than those that the order of axes is known of do not allow it.
  Tensor asFirst(const LayerPair& pair, const Tensor& tensor, const Shape& shape) const {
    const Tensor value = pair.axes.toFirst(m_second.numbers(pair.second, tensor));
    return value.defined() ? likeShape(withoutPadding(value, m_feed), shape) : value;
  }

  // What the second model's layer is given for the numbers of the first, and what it then sees.
  struct Given {
    Tensors second;
    Tensors first;
    bool rounded = false;
    bool complete = true;
  };

  bool quantizesDynamically(const LayerPair& pair, ValueId input) const {
    return std::ranges::any_of(pair.secondCone.nodes, [&](NodeId id) {
      const Node& node = m_second.graph()[id];
      return operatorTraits(node).codes.use == CodeUse::QuantizesDynamically &&
             !node.inputs.empty() && node.inputs[0] == input;
    });
  }

  Given givenFor(const LayerPair& pair) const {
    Given given;
    std::map<ValueId, Tensor> seen;  // by value of the first model
    for (std::size_t i = 0; i < pair.secondCone.inputs.size(); ++i) {
      const ValueId input = pair.secondCone.inputs[i];
      const auto source = m_firstTensors.find(pair.sources[i]);
      if (source == m_firstTensors.end()) {
        given.complete = false;
        return given;
      }
      const AxisOrder& axes = pair.sourceAxes[i];
      const Tensor numbers = axes.toSecond(m_first.numbers(pair.sources[i], source->second));
      if (!numbers.defined()) {
        given.complete = false;
        return given;
      }
      const auto type = m_second.graph()[input].type.element;
      const bool same = type && *type == source->second.type() && m_second.grids(input) == nullptr;
      given.second[input] =
          same ? axes.toSecond(source->second) : m_second.tensorOf(input, numbers);
      if (m_second.grids(input) != nullptr && type && !isFloat(*type)) {
        seen[pair.sources[i]] = axes.toFirst(m_second.numbers(input, given.second[input]));
      } else if (quantizesDynamically(pair, input)) {
        QuantParams dynamic;
        dynamic.type = QuantType::UInt8;
        dynamic.qmin = 0;
        dynamic.qmax = 255;
        dynamic.symmetric = false;
        dynamic.dynamic = true;
        seen[pair.sources[i]] = axes.toFirst(fakeQuantizeValue(numbers, dynamic, 1));
      }
    }
    for (const ValueId input : pair.firstCone.inputs) {
      const auto rounded = seen.find(input);
      const auto source = m_firstTensors.find(input);
      if (rounded != seen.end()) {
        given.first[input] = rounded->second;
        given.rounded = true;
      } else if (source != m_firstTensors.end()) {
        given.first[input] = source->second;
      } else {
        given.complete = false;
      }
    }
    return given;
  }

  Tensor runFirst(const LayerPair& pair, const Given& given, const PlacedInputs& placed) const {
    return numbers(m_first, pair.first,
                   runCone(m_first.engine(), pair.firstCone, pair.first, given.first, placed,
                           nullptr, m_feed.batch));
  }

  void measureOwn(const LayerPair& pair, const Tensor& reference, PairMeasures& measures) const {
    const Given given = givenFor(pair);
    if (!given.complete) return;
    const Tensor made = runCone(m_second.engine(), pair.secondCone, pair.second, given.second, {},
                                nullptr, m_feed.batch);
    if (!made.defined()) return;
    const bool anew = given.rounded && !pair.firstCone.nodes.empty();
    const Tensor expected = anew ? runFirst(pair, given, {}) : reference;
    const Tensor actual = asFirst(pair, made, expected.shape());
    if (!actual.defined() || actual.shape() != expected.shape()) return;
    measures.measured = true;
    std::vector<ChannelSums> sums(1);
    addErrors(expected, actual, m_channelAxes[pair.first.at()], 1, sums);
    measures.own = total(sums[0]);
    measures.ownChannels = sums[0];
    measures.ownBroken = brokenAmong(measures.own, expected, actual);
    measures.expected = minMax(expected.values<float>());
    measures.actual = minMax(actual.values<float>());
    countRounding(pair, expected, actual, measures);
    addHalfNoise(pair, given, expected, measures);
    const PlacedInputs placed = wellRounded(pair.weights);
    if (placed.empty() || pair.firstCone.nodes.empty()) return;
    const Tensor rounded = runFirst(pair, given, placed);
    if (rounded.shape() != expected.shape()) return;
    measures.weightNoise +=
        errorSums(expected.values<float>(), rounded.values<float>()).squaredError;
  }

  // What a half type makes of the layer's inputs counts, as steep as the layer is there.
  void addHalfNoise(const LayerPair& pair, const Given& given, const Tensor& expected,
                    PairMeasures& measures) const {
    if (pair.narrowest == ElementType::Float32 || pair.firstCone.nodes.empty()) return;
    Given halved = given;
    for (auto& [input, tensor] : halved.first) {
      const auto type = tensor.type();
      if (type == ElementType::Float32) tensor = roundedTo(pair.narrowest, tensor);
    }
    const Tensor rounded = runFirst(pair, halved, {});
    if (rounded.shape() != expected.shape()) return;
    measures.weightNoise +=
        errorSums(expected.values<float>(), rounded.values<float>()).squaredError;
  }

  void countRounding(const LayerPair& pair, const Tensor& expected, const Tensor& actual,
                     PairMeasures& measures) const {
    const CodeGrids* const grids = pair.outputGrids;
    if (grids == nullptr || grids->scale.elementCount() != 1 || pair.outputBits > 16) return;
    const float scale = grids->scale.values<float>()[0];
    const Range reach = reachOf(*grids, pair.outputBits);
    const std::span<const float> x = expected.values<float>();
    const std::span<const float> y = actual.values<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(x[i] >= reach.low - scale / 2 && x[i] <= reach.high + scale / 2)) {
        ++measures.outside;
        continue;
      }
      const double error = (static_cast<double>(y[i]) - x[i]) / scale;
      if (!std::isfinite(error)) continue;
      measures.roundedSum += error;
      ++measures.rounded;
    }
  }

  const ComparedModel& m_first;
  const ComparedModel& m_second;
  const Feed& m_feed;
  const Tensors& m_firstTensors;
  const std::vector<ChannelAxis>& m_channelAxes;
};

void fold(const PairMeasures& feed, PairMeasures& all) {
  all.error.add(feed.error);
  all.firstRange.merge(feed.firstRange);
  all.secondRange.merge(feed.secondRange);
  all.measured = all.measured || feed.measured;
  all.own.add(feed.own);
  if (all.ownChannels.size() < feed.ownChannels.size()) {
    all.ownChannels.resize(feed.ownChannels.size());
  }
  for (std::size_t i = 0; i < feed.ownChannels.size(); ++i) {
    all.ownChannels[i].add(feed.ownChannels[i]);
  }
  all.broken += feed.broken;
  all.ownBroken += feed.ownBroken;
  all.weightNoise += feed.weightNoise;
  all.expected.merge(feed.expected);
  all.actual.merge(feed.actual);
  all.outside += feed.outside;
  all.roundedSum += feed.roundedSum;
  all.rounded += feed.rounded;
}

std::vector<ValueId> firstWanted(const std::vector<LayerPair>& pairs,
                                 const std::vector<OutputPair>& outputs) {
  std::vector<ValueId> wanted;
  for (const LayerPair& pair : pairs) {
    wanted.push_back(pair.first);
    wanted.insert(wanted.end(), pair.sources.begin(), pair.sources.end());
    wanted.insert(wanted.end(), pair.firstCone.inputs.begin(), pair.firstCone.inputs.end());
  }
  for (const OutputPair& pair : outputs) wanted.push_back(pair.first);
  return wanted;
}

std::vector<ValueId> secondWanted(const std::vector<LayerPair>& pairs,
                                  const std::vector<OutputPair>& outputs) {
  std::vector<ValueId> wanted;
  for (const LayerPair& pair : pairs) wanted.push_back(pair.second);
  for (const OutputPair& pair : outputs) wanted.push_back(pair.second);
  return wanted;
}

WantedRun runFor(const ComparedModel& model, std::vector<ValueId> wanted) {
  std::erase_if(wanted, [&](ValueId value) { return model.engine().constant(value) != nullptr; });
  return {model.engine(), std::move(wanted)};
}

struct FeedResult {
  std::vector<PairMeasures> pairs;
  std::vector<OutputRecord> outputs;
};

}  // namespace

Range reachOf(const CodeGrids& grids, int bits) {
  const ElementType type = grids.zeroPoint.defined() ? grids.zeroPoint.type() : ElementType::UInt8;
  const double levels = std::pow(2.0, bits);
  const double low = isSigned(type) ? -levels / 2 : 0;
  double zero = 0;
  if (grids.zeroPoint.defined()) {
    zero = toFloat32(grids.zeroPoint).values<float>()[0];
  }
  const double scale = grids.scale.values<float>()[0];
  return {static_cast<float>((low - zero) * scale),
          static_cast<float>((low + levels - 1 - zero) * scale), false};
}

std::vector<PairMeasures> measurePairs(const ComparedModel& first, const ComparedModel& second,
                                       const PairedInputs& inputs,
                                       const std::vector<LayerPair>& pairs,
                                       const std::vector<OutputPair>& outputs,
                                       std::vector<OutputErrors>& outputErrors,
                                       SampleSource& source, JobContext& job) {
  const WantedRun firstRun = runFor(first, firstWanted(pairs, outputs));
  const WantedRun secondRun = runFor(second, secondWanted(pairs, outputs));
  const std::vector<ChannelAxis> channelAxes = findChannelAxes(first.graph());
  std::vector<PairMeasures> all(pairs.size());
  job.beginStage("Comparing", source.sampleCount(), "samples");
  forEachFeed(
      source, job,
      [&](const Feed& feed) {
        FeedResult result;
        const Tensors firstTensors = firstRun.run(feed, nullptr, job);
        const Feed secondFeed = inputs.forSecond(feed);
        const Tensors secondTensors = secondRun.run(secondFeed, nullptr, job);
        const FeedMeasures measures(first, second, feed, firstTensors, channelAxes);
        for (const LayerPair& pair : pairs) {
          job.throwIfCancelled();
          const auto found = secondTensors.find(pair.second);
          result.pairs.push_back(
              measures.measure(pair, found == secondTensors.end() ? Tensor() : found->second));
        }
        for (const OutputPair& pair : outputs) {
          const auto a = firstTensors.find(pair.first);
          const auto b = secondTensors.find(pair.second);
          if (a == firstTensors.end() || b == secondTensors.end()) {
            result.outputs.emplace_back();
            continue;
          }
          const Tensor reference = first.numbers(pair.first, a->second);
          const Tensor made = pair.axes.toFirst(second.numbers(pair.second, b->second));
          if (!made.defined()) {
            result.outputs.emplace_back();
            continue;
          }
          const Tensor value = likeShape(made, reference.shape());
          result.outputs.push_back(measureOutput(reference, value, feed.batch, feed.samples,
                                                 comesFromSoftmax(first.graph(), pair.first)));
        }
        return result;
      },
      [&](const Feed& feed, FeedResult&& result) {
        for (std::size_t i = 0; i < pairs.size(); ++i) fold(result.pairs[i], all[i]);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          outputErrors[i].add(result.outputs[i], feed.firstSample);
        }
      });
  return all;
}

}  // namespace quantscope
