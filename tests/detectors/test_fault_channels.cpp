#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Faults of single channels, put into generated networks.
class FaultyChannelsTest : public FaultSuite {
  Q_OBJECT

  std::vector<Row> rows() const override;
};

namespace {

constexpr const char* kPerTensorWeights =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";

/// The parameters of one layer, by output channel.
struct Layer {
  int inputs = 0;
  int outputs = 0;
  bool depthwise = false;  ///< `inputs` = `outputs`
  std::vector<double> scale;
  std::vector<double> bias;
};

Layer randomLayer(Random& random) {
  Layer layer;
  layer.depthwise = whole(random, 0, 2) == 0;
  layer.outputs = whole(random, 6, 20);
  layer.inputs = layer.depthwise ? layer.outputs : whole(random, 2, 8);
  for (int c = 0; c < layer.outputs; ++c) {
    layer.scale.push_back(uniform(random, 0.6, 1.4));
    layer.bias.push_back(uniform(random, -0.5, 0.5));
  }
  return layer;
}

/// Some channels, fewer than half of all, ascending.
std::vector<std::int64_t> someOf(Random& random, int channels) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(channels));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, random);
  all.resize(static_cast<std::size_t>(whole(random, 1, channels / 2 - 1)));
  std::ranges::sort(all);
  return all;
}

double& at(std::vector<double>& values, std::int64_t channel) {
  return values[static_cast<std::size_t>(channel)];
}

std::string weightsText(Random& random, const Layer& layer) {
  const int each = layer.depthwise ? 9 : layer.inputs;
  std::vector<double> values;
  for (const double scale : layer.scale) {
    for (int i = 0; i < each; ++i) {
      const double magnitude = scale * uniform(random, 0.5, 1) / std::sqrt(each);
      values.push_back(coin(random) ? magnitude : -magnitude);
    }
  }
  return elements(values);
}

std::string networkText(Random& random, const Layer& layer, bool product) {
  const std::string in = std::to_string(layer.inputs);
  const std::string out = std::to_string(layer.outputs);
  const std::string bias = "\nb:float[" + out + "]" + elements(layer.bias);
  if (layer.depthwise) {
    return "input x:float[1," + in + ",8,8]\nw:float[" + out + ",1,3,3]" +
           weightsText(random, layer) + bias + "\ny = Conv(x, w, b) group=" + in + " @faulty\n";
  }
  if (product) {
    return "input x:float[64," + in + "]\nw:float[" + out + "," + in + "]" +
           weightsText(random, layer) + bias + "\ny = Gemm(x, w, b) transB=1 @faulty\n";
  }
  return "input x:float[1," + in + ",8,8]\nw:float[" + out + "," + in + ",1,1]" +
         weightsText(random, layer) + bias + "\ny = Conv(x, w, b) @faulty\n";
}

/// The network of a layer, with noise whose channel c is `reach[c]` wide where that is given.
Injected network(Random& random, const Layer& layer, const std::vector<double>& reach = {}) {
  const bool product = !layer.depthwise && coin(random);
  Injected result;
  result.text = networkText(random, layer, product);
  const Shape shape = product ? Shape{64, layer.inputs} : Shape{1, layer.inputs, 8, 8};
  const int kind = whole(random, 0, 2);
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  for (int s = 0; s < 4; ++s) {
    result.samples.push_back(filled(shape, [&](std::size_t i) {
      const std::size_t channel = product ? i % inputs : i / 64;
      return (reach.empty() ? 1 : reach[channel]) * noiseOf(random, kind);
    }));
  }
  return result;
}

// Channels without weights, or that a ReLU never lets through.
Injected deadChannels(Random& random, bool faulty) {
  Layer layer = randomLayer(random);
  const std::vector<std::int64_t> victims = someOf(random, layer.outputs);
  const bool behindRelu = coin(random);
  for (const std::int64_t c : victims) {
    if (faulty && behindRelu) at(layer.bias, c) = -uniform(random, 30, 100);
    if (faulty && !behindRelu) at(layer.scale, c) = coin(random) * 1e-7;
    // Weak, but not so that a ReLU swallows them.
    if (!faulty) at(layer.scale, c) = uniform(random, 0.002, 0.1);
    if (!faulty) at(layer.bias, c) = 0.5;
  }
  Injected result = network(random, layer);
  result.text += coin(random) || behindRelu ? "z = Relu(y)\noutput z\n" : "output y\n";
  if (faulty) result.channels = victims;
  return result;
}

// A third of a depthwise layer's channels far narrower than the rest, under one scale.
Injected unevenDepthwise(Random& random, bool faulty) {
  Layer layer = randomLayer(random);
  layer.depthwise = true;
  layer.inputs = layer.outputs;
  const bool uneven = faulty || coin(random);
  const double factor = uneven ? uniform(random, 60, 2000) : 1;
  for (int c = 0; c < layer.outputs; ++c) {
    if (c % 3 == 0) at(layer.scale, c) /= factor;
  }
  std::ranges::shuffle(layer.scale, random);
  Injected result = network(random, layer);
  result.text += "output y\n";
  if (faulty || !uneven) result.config = kPerTensorWeights;
  return result;
}

// A bias of ordinary size beside weights that are next to nothing.
Injected largeBias(Random& random, bool faulty) {
  Layer layer = randomLayer(random);
  const std::vector<std::int64_t> victims = someOf(random, layer.outputs);
  const bool tiny = faulty || coin(random);
  for (const std::int64_t c : victims) {
    at(layer.scale, c) = tiny ? std::pow(10, uniform(random, -10, -7.5)) : 1e-3;
    at(layer.bias, c) = uniform(random, 1, 5) * (coin(random) ? 1 : -1);
  }
  Injected result = network(random, layer);
  result.text += "output y\n";
  // Under one scale for all the step does not shrink with a channel's weights.
  result.config = !faulty && tiny ? R"({"quantscope": 1, "bias": "int32",
                                       "default": {"weight": {"granularity": "per-tensor"}}})"
                                  : R"({"quantscope": 1, "bias": "int32"})";
  if (faulty) result.channels = victims;
  return result;
}

// One channel far wider than all others: of the weights, or of what goes into the layer.
Injected dominantChannel(Random& random, bool faulty) {
  Layer layer = randomLayer(random);
  const double factor = uniform(random, 20, 300);
  const bool ofWeights = coin(random);
  const int channels = ofWeights ? layer.outputs : std::max(6, layer.inputs);
  if (!ofWeights && !layer.depthwise) layer.inputs = channels;
  std::vector<double> reach(static_cast<std::size_t>(channels), 1);
  const std::vector<std::int64_t> victims = someOf(random, channels);
  const std::int64_t wide = victims.front();
  if (faulty) at(ofWeights ? layer.scale : reach, wide) *= factor;
  // Without the fault several are as wide, or the weights have a scale per channel.
  const bool several = coin(random);
  if (!faulty && several) {
    at(ofWeights ? layer.scale : reach, 0) *= factor;
    at(ofWeights ? layer.scale : reach, 1) *= factor;
  }
  Injected result = ofWeights ? network(random, layer) : network(random, layer, reach);
  result.text += "output y\n";
  result.config = ofWeights ? kPerTensorWeights : "";
  if (faulty) result.channels = {wide};
  return result;
}

}  // namespace

std::vector<FaultSuite::Row> FaultyChannelsTest::rows() const {
  return {{"dead_channels", deadChannels},
          {"depthwise_disparity", unevenDepthwise},
          {"bias_overflow", largeBias},
          {"channel_dominance", dominantChannel}};
}

QUANTSCOPE_TEST(FaultyChannelsTest)
#include "test_fault_channels.moc"
