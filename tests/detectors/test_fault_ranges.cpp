#include <QtTest>
#include <cmath>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Faults of the grids of activations, put into generated networks.
class FaultyRangesTest : public FaultSuite {
  Q_OBJECT

  std::vector<Row> rows() const override;
};

namespace {

constexpr int kOutputs = 4;

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string symmetricRange(double reach) {
  return "\"range\": [" + number(-reach) + ", " + number(reach) + "]";
}

std::string atFaulty(const std::string& precision) {
  return R"({"quantscope": 1, "nodes": {"faulty": {)" + precision + "}}}";
}

/// Weights whose output has about the deviation `scale` where the inputs have 1.
std::string weights(Random& random, int inputs, double scale = 1) {
  std::vector<double> values;
  for (int i = 0; i < kOutputs * inputs; ++i) {
    const double magnitude = uniform(random, 0.7, 1.3) * scale / std::sqrt(inputs);
    values.push_back(coin(random) ? magnitude : -magnitude);
  }
  return elements(values);
}

/// x of deviation 1 through one layer of `channels` inputs, as `y`.
Injected oneLayer(Random& random) {
  const int channels = whole(random, 2, 8);
  const std::string c = std::to_string(channels);
  const int size = whole(random, 6, 12);
  const std::string s = std::to_string(size);
  Injected result;
  const int kind = whole(random, 0, 2);
  if (kind == 0) {
    result.text = "input x:float[1," + c + "," + s + "," + s + "]\nw:float[4," + c + ",1,1]" +
                  weights(random, channels) + "\ny = Conv(x, w) @faulty\n";
    result.samples = noise(random, {1, channels, size, size}, 4);
    return result;
  }
  result.text = "input x:float[32," + c + "]\n";
  result.text += kind == 1 ? "w:float[4," + c + "]" + weights(random, channels) +
                                 "\ny = Gemm(x, w) transB=1 @faulty\n"
                           : "w:float[" + c + ",4]" + weights(random, channels) +
                                 "\ny = MatMul(x, w) @faulty\n";
  result.samples = noise(random, {32, channels}, 4);
  return result;
}

// Two branches of the input that meet, one of them far narrower.
Injected meetingBranches(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  const int size = whole(random, 4, 9);
  const std::string c = std::to_string(channels);
  const std::string s = std::to_string(size);
  const double scale = std::pow(10, uniform(random, -2, 2));
  const double other = faulty ? 1 / uniform(random, 45, 1000) : uniform(random, 0.4, 2.5);
  Injected result;
  result.text = "input x:float[1," + c + "," + s + "," + s + "]\nw:float[4," + c + ",1,1]" +
                weights(random, channels) + "\nv:float[4," + c + ",1,1]" +
                weights(random, channels, other) + "\na = Conv(x, w)\nb = Conv(x, v)\n";
  const std::string pair = coin(random) ? "(a, b)" : "(b, a)";
  switch (whole(random, 0, 3)) {
    case 0:
      result.text += "y = Concat" + pair + " axis=1 @faulty\n";
      break;
    case 1:
      result.text += "r = Relu(b)\ny = Concat(a, r) axis=1 @faulty\n";
      break;
    case 2:
      result.text += "y = Add" + pair + " @faulty\n";
      break;
    default:
      result.text += "t = Transpose(b) perm=[0,1,3,2]\ny = Concat(t, a) axis=1 @faulty\n";
  }
  result.text += "output y\n";
  result.samples = noise(random, {1, channels, size, size}, 4, scale);
  return result;
}

// Ranges that cut into the data, set by hand or by an observer that clips hard.
Injected narrowGrid(Random& random, bool faulty) {
  Injected result = oneLayer(random);
  result.text += "output y\n";
  const std::string place = coin(random) ? "output" : "activation";
  const double reach = faulty ? uniform(random, 0.3, 1.2) : uniform(random, 7, 12);
  std::string precision = symmetricRange(reach);
  switch (whole(random, 0, 2)) {
    case 0:
      precision = faulty ? R"("observer": "percentile:6:94")" : R"("observer": "mse")";
      break;
    case 1:
      if (!faulty) precision = R"("observer": "percentile:0.1:99.9")";
      break;
    default:
      break;
  }
  result.config = atFaulty("\"" + place + "\": {" + precision + "}");
  return result;
}

// Ranges far beyond the data: set by hand, or those of what is averaged away.
Injected wideGrid(Random& random, bool faulty) {
  Injected result = oneLayer(random);
  const bool image = result.text.find("Conv") != std::string::npos;
  if (image && coin(random)) {
    result.text.replace(result.text.find("@faulty"), 7, "@before");
    result.text += faulty ? "p = GlobalAveragePool(y) @faulty\n"
                          : "p = AveragePool(y) kernel_shape=[2,2] @faulty\n";
    result.text += "output p\n";
    return result;
  }
  result.text += "output y\n";
  const double reach = faulty ? uniform(random, 30, 500) : uniform(random, 2, 5);
  const std::string place = coin(random) ? "output" : "activation";
  if (faulty || coin(random)) {
    result.config = atFaulty("\"" + place + "\": {" + symmetricRange(reach) + "}");
  }
  return result;
}

// Symmetric grids for what lies above 0, or below, or nearly so.
Injected oneSidedData(Random& random, bool faulty) {
  Injected result = oneLayer(random);
  const int where = whole(random, 0, 2);
  std::string end = "output y\n";
  if (faulty && where == 0) end = "z = Relu(y)\noutput z\n";
  if (faulty && where == 1) {
    const std::string low = number(-uniform(random, 0, 0.05));
    end = "z = Clip(y, low:float[]{" + low + "}, high:float[]{6})\noutput z\n";
  }
  if (faulty && where == 2) {
    const double sign = coin(random) ? 1 : -1;
    for (Tensor& sample : result.samples) {
      for (float& x : sample.mutableValues<float>()) x = static_cast<float>(sign * std::abs(x));
    }
  }
  result.text += end;
  const char* type = whole(random, 0, 2) == 0 ? "uint8" : coin(random) ? "int8" : "int4";
  const bool symmetric = faulty || coin(random);
  if (!symmetric) result.text += "z = Relu(y)\noutput z\n";
  result.config = R"({"quantscope": 1, "default": {"activation": {"type": ")" + std::string(type) +
                  R"(", "symmetric": )" + (symmetric ? "true" : "false") + "}}}";
  return result;
}

}  // namespace

std::vector<FaultSuite::Row> FaultyRangesTest::rows() const {
  return {{"range_mismatch", meetingBranches},
          {"saturation", narrowGrid},
          {"unused_range", wideGrid},
          {"one_sided", oneSidedData}};
}

QUANTSCOPE_TEST(FaultyRangesTest)
#include "test_fault_ranges.moc"
