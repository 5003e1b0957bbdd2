#include <QtTest>
#include <algorithm>

#include "detectors/detector_case.h"
#include "detectors/fault_suite.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// Faults in how a network is run, put into generated networks: numbers that are not finite or
/// missing, ranges fitted to other data, sums beyond the accumulator, conversions, and what the
/// backend cannot do.
class ExecutionFaultsTest : public FaultSuite {
  Q_OBJECT

  std::vector<Row> rows() const override;
};

namespace {

/// "input x:float[1,C,8,8]" and two square weights w, v.
std::string header(int channels) {
  const std::string c = std::to_string(channels);
  return "input x:float[1," + c + ",8,8]\nw:float[" + c + "," + c + ",1,1]\nv:float[" + c + "," +
         c + ",1,1]\n";
}

std::string entry(const std::string& node, const std::string& precision) {
  return R"({"quantscope": 1, "nodes": {")" + node + R"(": )" + precision + "}}";
}

// A logarithm or root of what may be 0 or negative, a division by 0, or numbers beyond fp16.
Injected notFinite(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  const int kind = whole(random, 0, 3);
  Injected result{header(channels), {}, {}, {}};
  double scale = uniform(random, 0.5, 3);
  if (kind == 3) {
    result.text += "y = Conv(x, w) @faulty\noutput y\n";
    result.config = entry("faulty", R"({"activation": {"type": "fp16"}})");
    if (faulty) scale = uniform(random, 7e4, 3e5);
  } else {
    const char* const operators[] = {"Log(b)", "Sqrt(b)", "Div(a, b)"};
    const char* const bad[] = {"Relu", "Tanh", "Relu"};
    result.text += std::string("a = Conv(x, w)\nb = ") + (faulty ? bad[kind] : "Sigmoid") +
                   "(a)\nc = " + operators[kind] + " @faulty\ny = Conv(c, v)\noutput y\n";
  }
  result.samples = noise(random, {1, channels, 8, 8}, 3, scale);
  return result;
}

// A branch that no sample enters, or a layer that computes nothing but NaN.
Injected unreached(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  const bool undefined = coin(random);
  Injected result{header(channels), {}, {}, {}};
  if (undefined) {
    result.text += std::string("a = Abs(x)\nb = Neg(a)\nc = Sqrt(") + (faulty ? "b" : "a") +
                   ")\ny = Conv(c, w) @faulty\noutput y\n";
  } else {
    const char* const bodies[] = {"t = Conv(x, w) @faulty\n", "u = Conv(x, v)\n"};
    const bool second = coin(random);
    result.text += "m = ReduceMax(x) keepdims=0\nc = " + std::string(second ? "Less" : "Greater") +
                   "(m, limit:float[]{100})\n";
    result.text += "r = If(c) @choice then={\n" + std::string(bodies[second ? 1 : 0]) + "output " +
                   (second ? "u" : "t") + "\n} else={\n" + bodies[second ? 0 : 1] + "output " +
                   (second ? "t" : "u") + "\n}\noutput r\n";
    result.node = std::string("choice/") + (second ? "else" : "then") + "/faulty";
  }
  result.samples = noise(random, {1, channels, 8, 8}, 3);
  if (!faulty) result.samples.push_back(noise(random, {1, channels, 8, 8}, 1, 1000).front());
  return result;
}

// Calibrated on data of another scale or offset than those that are analysed.
Injected otherData(Random& random, bool faulty) {
  const int channels = whole(random, 2, 5);
  Injected result{header(channels), {}, {}, {}};
  result.text += "y = Conv(x, w) @faulty\noutput y\n";
  const int kind = whole(random, 0, 2);
  const double scale = faulty ? uniform(random, 1.6, 5) : uniform(random, 0.7, 1);
  const auto make = [&](int samples, double factor) {
    std::vector<Tensor> made;
    for (int s = 0; s < samples; ++s) {
      made.push_back(filled({1, channels, 8, 8}, [&](std::size_t) {
        return factor * std::clamp(noiseOf(random, kind), -2.0, 2.0);
      }));
    }
    return made;
  };
  result.calibration = make(24, 1);
  result.samples = make(8, scale);
  return result;
}

// 16-bit codes on both sides make sums that 32 bits cannot hold; 8 on one side do not.
Injected wideCodes(Random& random, bool faulty) {
  const int channels = whole(random, 4, 12);
  const bool convolution = coin(random);
  Injected result{header(channels), {}, {}, {}};
  if (convolution) {
    result.text += "y = Conv(x, w) @faulty\noutput y\n";
  } else {
    const std::string c = std::to_string(channels);
    result.text = "input x:float[1," + c + "]\nw:float[" + c + ",5]\ny = MatMul(x, w) @faulty\n" +
                  "output y\n";
  }
  const char* const healthy[] = {
      R"({"weight": {"type": "int8"}})", R"({"weight": {"type": "int16"}})",
      R"({"weight": {"type": "int8"}, "activation": {"type": "int16", "symmetric": true}})"};
  const char* const wide[] = {
      R"({"weight": {"type": "int16"}, "activation": {"type": "int16", "symmetric": true}})",
      R"({"weight": {"type": "int16"}, "activation": {"type": "uint16"}})"};
  result.config =
      entry("faulty", faulty ? wide[whole(random, 0, 1)] : healthy[whole(random, 0, 2)]);
  const Shape shape = convolution ? Shape{1, channels, 8, 8} : Shape{1, channels};
  result.samples = noise(random, shape, 4, uniform(random, 0.1, 20));
  return result;
}

// Operators in float between quantized layers, a layer kept in float by the configuration, or a
// quantized one among floats; without the fault they are at an end or of one kind with the rest.
Injected islands(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  Injected result{header(channels), {}, {}, {}};
  const char* const hole[] = {"a = Conv(x, w)\nb = Neg(a) @faulty\ny = Conv(b, v)\noutput y\n",
                              "a = Conv(x, w)\nb = Abs(a) @faulty\nc = Exp(b)\ny = Conv(c, v)\n"
                              "output y\n",
                              "a = Conv(x, w)\nb = Conv(a, v) @faulty\ny = Conv(b, w)\noutput y\n",
                              "a = Neg(x)\nb = Sigmoid(a) @faulty\ny = Exp(b)\noutput y\n"};
  const char* const whole4[] = {"a = Conv(x, w)\nb = Conv(a, v)\ny = Neg(b)\noutput y\n",
                                "a = Abs(x)\nb = Exp(a)\ny = Conv(b, v)\noutput y\n",
                                "a = Conv(x, w)\nb = Conv(a, v) @faulty\ny = Conv(b, w)\n"
                                "output y\n",
                                "a = Conv(x, w)\nb = Neg(a)\ny = Conv(b, v)\noutput b\n"
                                "output y\n"};
  const int kind = whole(random, 0, 3);
  result.text += faulty ? hole[kind] : whole4[kind];
  if (faulty && kind == 2) result.config = entry("faulty", R"("fp32")");
  result.samples = noise(random, {1, channels, 8, 8}, 3);
  return result;
}

// What x86 has no kernel for: other types, finer scales, a pattern that is torn apart.
Injected beyondTheBackend(Random& random, bool faulty) {
  const int channels = whole(random, 2, 6);
  Injected result{header(channels), {}, {}, {}};
  result.text += "a = Conv(x, w) @faulty\ny = Relu(a) @relu\noutput y\n";
  const char* const bad[] = {
      R"({"weight": {"type": "int4"}})", R"({"activation": {"type": "int8", "symmetric": true}})",
      R"({"weight": {"granularity": "per-group:1:2"}})", R"({"weight": {"symmetric": false}})"};
  const char* const good[] = {R"({"weight": {"granularity": "per-tensor"}})",
                              R"({"activation": {"observer": "mse"}})",
                              R"({"output": {"symmetric": true}})", R"("fp32")"};
  const int kind = whole(random, 0, 4);
  if (kind == 4) {
    result.config = faulty ? entry("relu", R"({"activation": {"observer": "mse"}})") : "";
  } else {
    result.config = entry("faulty", faulty ? bad[kind] : good[kind]);
  }
  result.samples = noise(random, {1, channels, 8, 8}, 3, uniform(random, 0.1, 20));
  return result;
}

}  // namespace

std::vector<FaultSuite::Row> ExecutionFaultsTest::rows() const {
  return {{"non_finite", notFinite},          {"not_calibrated", unreached},
          {"calibration_overfit", otherData}, {"accumulator_overflow", wideCodes},
          {"conversion_island", islands},     {"backend_support", beyondTheBackend}};
}

QUANTSCOPE_TEST(ExecutionFaultsTest)
#include "test_execution_faults.moc"
