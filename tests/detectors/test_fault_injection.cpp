#include <QtTest>
#include <algorithm>
#include <cmath>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// The faults that the detectors of PyTorch's ModelReport know, put into generated networks.
class FaultInjectionTest : public FaultSuite {
  Q_OBJECT

  std::vector<Row> rows() const override;
};

namespace {

/// x → conv "faulty" or linear layer "faulty", with `channels` inputs and 4 outputs.
std::string faultyLayerText(bool convolution, int channels, const std::vector<double>& weights) {
  const std::string c = std::to_string(channels);
  const std::string given = weights.empty() ? "" : elements(weights);
  if (convolution) {
    return "input x:float[1," + c + ",8,8]\nw:float[4," + c + ",1,1]" + given +
           "\ny = Conv(x, w) @faulty\noutput y\n";
  }
  return "input x:float[16," + c + "]\nw:float[4," + c + "]" + given +
         "\ny = Gemm(x, w) transB=1 @faulty\noutput y\n";
}

Shape shapeOf(bool convolution, int channels) {
  return convolution ? Shape{1, channels, 8, 8} : Shape{16, channels};
}

/// The channel of element i.
int channelOf(bool convolution, int channels, std::size_t i) {
  const auto index = static_cast<int>(i);
  return convolution ? index / 64 : index % channels;
}

Injected perTensorWeights(Random& random, bool faulty) {
  const bool convolution = coin(random);
  const int channels = whole(random, 2, 6);
  Injected result{faultyLayerText(convolution, channels, {}), {}, {}, {}};
  result.samples.push_back(
      filled(shapeOf(convolution, channels), [&](std::size_t) { return noiseOf(random, 0); }));
  result.config =
      faulty
          ? R"({"quantscope": 1, "nodes": {"faulty": {"weight": {"granularity": "per-tensor"}}}})"
          : "";
  return result;
}

Injected growingBatches(Random& random, bool faulty) {
  const bool convolution = coin(random);
  const int channels = whole(random, 2, 6);
  const int kind = whole(random, 0, 2);
  const double offset = uniform(random, -1, 1);
  const double growth = uniform(random, 1.8, 4);
  Injected result{faultyLayerText(convolution, channels, {}), {}, {}, {}};
  std::vector<double> scales;
  for (int s = 0; s < 8; ++s) {
    scales.push_back(faulty ? std::pow(growth, s) : uniform(random, 0.9, 1.1));
  }
  std::ranges::shuffle(scales, random);
  for (const double scale : scales) {
    result.samples.push_back(filled(shapeOf(convolution, channels), [&](std::size_t) {
      return scale * (noiseOf(random, kind) + offset);
    }));
  }
  return result;
}

// Weights of one range, channels of the input of different ones; without the fault the weights are
// as uneven as the input.
Injected unevenChannels(Random& random, bool faulty) {
  const bool convolution = coin(random);
  const int channels = whole(random, 4, 9);
  std::vector<double> reach;
  for (int c = 0; c < channels; ++c) reach.push_back(uniform(random, 0.3, 0.6));
  reach[static_cast<std::size_t>(whole(random, 0, channels - 1))] = 1;
  std::vector<double> weights;
  for (int i = 0; i < 4 * channels; ++i) {
    const double range = faulty ? 1 : reach[static_cast<std::size_t>(i % channels)];
    const bool end = i / channels < 2;  // so that every channel has both ends of its range
    weights.push_back(range * (end ? (i / channels == 0 ? -1 : 1) : uniform(random, -1, 1)));
  }
  Injected result{faultyLayerText(convolution, channels, weights), {}, {}, {}};
  for (int s = 0; s < 6; ++s) {
    result.samples.push_back(filled(shapeOf(convolution, channels), [&](std::size_t i) {
      const int channel = channelOf(convolution, channels, i);
      return reach[static_cast<std::size_t>(channel)] * uniform(random, -1, 1);
    }));
  }
  return result;
}

Injected farValue(Random& random, bool faulty) {
  const bool convolution = whole(random, 0, 3) > 0;
  const int channels = whole(random, 2, 6);
  const int kind = whole(random, 0, 2);
  const int victim = whole(random, 0, channels - 1);
  const double far = uniform(random, 12, 60) * (coin(random) ? 1 : -1);
  Injected result{faultyLayerText(convolution, channels, {}), {}, {}, {victim}};
  // Of 64 values in a channel one must stay beyond the reference quantile.
  const Shape shape = convolution ? Shape{1, channels, 8, 8} : Shape{64, channels};
  if (!convolution) result.text.replace(result.text.find("[16,"), 4, "[64,");
  for (int s = 0; s < 6; ++s) {
    bool placed = !faulty;
    result.samples.push_back(filled(shape, [&](std::size_t i) {
      const double plain = noiseOf(random, kind);
      if (placed || channelOf(convolution, channels, i) != victim) return plain;
      placed = true;
      return far;
    }));
  }
  return result;
}

}  // namespace

std::vector<FaultSuite::Row> FaultInjectionTest::rows() const {
  return {{"per_channel", perTensorWeights},
          {"dynamic_static", growingBatches},
          {"equalization", unevenChannels},
          {"outlier", farValue}};
}

QUANTSCOPE_TEST(FaultInjectionTest)
#include "test_fault_injection.moc"
