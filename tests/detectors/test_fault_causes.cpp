#include <QtTest>
#include <algorithm>
#include <cmath>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Faults that the error budget shows, put into generated networks: grids of others, linear grids
/// in front of steep functions, scales that groups share, inputs that say nothing, and whatever
/// makes the largest part of an error.
class FaultyCausesTest : public FaultSuite {
  Q_OBJECT

  std::vector<Row> rows() const override;
};

namespace {

/// Numbers of magnitude about `scale`, none of them near 0.
std::vector<double> clearWeights(Random& random, int count, double scale) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const double magnitude = scale * uniform(random, 0.7, 1.3);
    values.push_back(coin(random) ? magnitude : -magnitude);
  }
  return values;
}

std::string inputText(int channels) {
  return "input x:float[1," + std::to_string(channels) + ",8,8]\n";
}

std::string weightText(const std::string& name, int outputs, int inputs,
                       const std::vector<double>& values) {
  return name + ":float[" + std::to_string(outputs) + "," + std::to_string(inputs) + ",1,1]" +
         elements(values) + "\n";
}

// A layer joined with far wider values, or a softmax over so many classes that hardly any is
// likely.
Injected sharedGrid(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  Injected result;
  if (coin(random)) {
    const std::string classes = std::to_string(faulty ? 400 : 3);
    result.text = "input x:float[8," + classes + "]\ny = Softmax(x) axis=1 @faulty\noutput y\n";
    result.samples = noise(random, {8, faulty ? 400 : 3}, 3, 0.5);
    // One answer that is likely, but not certain.
    if (faulty) result.samples.front().mutableValues<float>()[0] = 6;
    return result;
  }
  const double narrow = faulty ? 1 / uniform(random, 8, 300) : uniform(random, 0.7, 1.4);
  result.text = inputText(channels) +
                weightText("w", 4, channels, clearWeights(random, 4 * channels, 1)) +
                weightText("v", 4, channels, clearWeights(random, 4 * channels, narrow)) +
                "a = Conv(x, w)\nb = Conv(x, v) @faulty\ny = Concat(a, b) axis=1\noutput y\n";
  result.samples = noise(random, {1, channels, 8, 8}, 4);
  return result;
}

// The logarithm, root or inverse of a power spectrum; without the fault of what keeps away from 0.
Injected steepFunction(Random& random, bool faulty) {
  const char* const functions[] = {"Log(e)", "Sqrt(e)", "Reciprocal(e)", "Div(a, e)",
                                   "Pow(e, half:float[]{0.5})"};
  const int channels = whole(random, 2, 6);
  Injected result;
  result.text = inputText(channels) +
                weightText("w", 4, channels, clearWeights(random, 4 * channels, 1)) +
                "a = Conv(x, w)\n" + (faulty ? "p = Mul(a, a)\n" : "p = Sigmoid(a)\n") +
                "e = Add(p, floor:float[]{" + (faulty ? "0.02" : "1") +
                "})\ny = " + functions[whole(random, 0, 4)] + " @faulty\noutput y\n";
  result.samples = noise(random, {1, channels, 8, 8}, 4);
  return result;
}

// Groups of a transposed convolution whose weights are of different size.
Injected unevenGroups(Random& random, bool faulty) {
  const int groups = whole(random, 2, 4);
  const int each = whole(random, 1, 2);  // output channels of a group
  const int inputs = 2 * groups;
  const double factor = faulty ? uniform(random, 8, 200) : 1;
  std::vector<double> weights;
  for (int i = 0; i < inputs; ++i) {
    const double scale = i / 2 % 2 == 1 ? 1 / factor : 1;
    const std::vector<double> own = clearWeights(random, 4 * each, scale);
    weights.insert(weights.end(), own.begin(), own.end());
  }
  // A single scale in all is a fault by itself.
  const bool depthwise = !faulty && each == 1;
  const std::string group = std::to_string(depthwise ? inputs : groups);
  Injected result;
  result.text = inputText(inputs) + "w:float[" + std::to_string(inputs) + "," +
                std::to_string(each) + ",2,2]" + elements(weights) +
                "\ny = ConvTranspose(x, w) group=" + group + " @faulty\noutput y\n";
  result.samples = noise(random, {1, inputs, 8, 8}, 3);
  return result;
}

// Input channels that meet no weights, or never change.
Injected deadInputs(Random& random, bool faulty) {
  const int channels = whole(random, 4, 9);
  const std::int64_t victim = whole(random, 0, channels - 1);
  const bool unread = coin(random);
  std::vector<double> weights = clearWeights(random, 4 * channels, 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool meets = static_cast<std::int64_t>(i) % channels == victim;
    if (meets) weights[i] *= faulty && unread ? 1e-7 : 0.01;
  }
  Injected result;
  result.text = inputText(channels) + weightText("w", 4, channels, weights) +
                "y = Conv(x, w) @faulty\noutput y\n";
  result.samples = noise(random, {1, channels, 8, 8}, 3);
  for (Tensor& sample : result.samples) {
    auto values = sample.mutableValues<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool own = static_cast<std::int64_t>(i / 64) == victim;
      if (own && faulty && !unread) values[i] = 0.25F;
    }
  }
  if (faulty) result.channels = {victim};
  return result;
}

// Too few codes for the weights or for what comes out, which no other detector knows.
Injected fewCodes(Random& random, bool faulty) {
  const int channels = whole(random, 3, 8);
  Injected result;
  result.text = inputText(channels) +
                weightText("w", 4, channels, clearWeights(random, 4 * channels, 1)) +
                "y = Conv(x, w) @faulty\noutput y\n";
  result.samples = noise(random, {1, channels, 8, 8}, 3);
  const std::string wide = R"({"weight": {"type": "int16"}, "activation": {"type": "uint16"}})";
  const std::string few =
      coin(random) ? R"("weight": {"type": "int4"})" : R"("output": {"type": "uint4"})";
  result.config = R"({"quantscope": 1, "backend": "generic", "default": )" + wide;
  if (faulty) {
    result.config += R"(, "nodes": {"faulty": {"activation": {"type": "uint16"}, )" + few + "}}";
  }
  result.config += "}";
  return result;
}

}  // namespace

std::vector<FaultSuite::Row> FaultyCausesTest::rows() const {
  return {{"shared_grid", sharedGrid},
          {"steep_function", steepFunction},
          {"grouped_scales", unevenGroups},
          {"dead_inputs", deadInputs},
          {"dominant_part", fewCodes}};
}

QUANTSCOPE_TEST(FaultyCausesTest)
#include "test_fault_causes.moc"
