#include <QtTest>
#include <cmath>

#include "repair/biases/bias_correction.h"
#include "repair/repair_case.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// The largest weights meet inputs of nearly 0: smaller scales bring both outputs closer.
constexpr const char* kTwoOutputs = R"(
  input x:float[16,12]
  v:float[12,1]{4, 0.9, -0.6, 0.4, -0.7, 0.5, 0.3, -0.4, 0.6, -0.9, 0.5, 0.45}
  b:float[1]{0.1}
  q = MatMul(x, v) @good
  z = Add(q, b) @bias
  w:float[12,1]{8, 0.9, -0.6, 0.4, -0.7, 0.5, 0.3, -0.4, 0.6, -0.9, 0.5, 0.45}
  p = MatMul(x, w) @worst
  output z
  output p
)";

constexpr const char* kOnlyWeights = R"({"quantscope": 1, "backend": "generic", "bias": "float",
  "default": {"weight": {"type": "int4", "granularity": "per-tensor"},
              "activation": {"type": "fp32"}, "output": {"type": "fp32"}}})";

std::vector<Tensor> samplesOf(unsigned seed) {
  std::vector<Tensor> samples = test::randomSamples(Shape{16, 12}, 16, seed);
  for (Tensor& sample : samples) {
    for (std::size_t i = 0; i < sample.elementCount(); i += 12) {
      sample.mutableValues<float>()[i] *= 0.01F;
    }
  }
  return samples;
}

struct TwoOutputs {
  /// Scales of both weights as shares of those at the start, and what comes to the bias of the good
  /// one, which 0 leaves alone.
  RepairStep planted(const char* name, double worst, double good, double shift) const {
    const RepairState& start = network.state;
    const auto propose = [&start, worst, good, shift](const RepairState& state,
                                                      const LinearLayers& layers, RepairTools&,
                                                      std::size_t) {
      RepairProposal proposal;
      for (const LinearLayer& layer : layers.layers) {
        const bool isGood = state.engine->graph()[layer.lead].name == "good";
        if (isGood && good == 0) continue;
        QuantParams params = weightParamsOf(*start.model, layer);
        params.grids[0].scale *= static_cast<float>(isGood ? good : worst);
        proposal.overlay.grids.push_back({layer.lead, layer.weightSlot, params});
        if (!isGood) continue;
        std::vector<double> bias = biasOf(*start.engine, layer);
        bias[0] += shift;
        proposal.overlay.constants.push_back(
            {layer.bias->node, layer.bias->slot, biasTensor(*state.engine, layer, bias), "bias"});
      }
      return proposal;
    };
    RepairStep step{name, "", 0, propose};
    step.fitsBiases = true;
    return step;
  }

  // The shift of its bias with which the good output loses so many dB.
  double shiftFor(double decibels) const {
    const auto x = network.outputs(network.state, false);
    const auto y = network.outputs(network.state, true);
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < 16; ++j) {
        const double error = double{y[i].values<float>()[j]} - x[i].values<float>()[j];
        mean += error / 256;
        square += error * error / 256;
      }
    }
    return -mean + std::sqrt(mean * mean + (std::pow(10, decibels / 10) - 1) * square);
  }

  // All of the data are held out.
  RepairResult repair(std::vector<RepairStep> steps) {
    SampleSet calibration(
        std::make_unique<MemorySource>(network.state.engine->graph().inputs()[0], samplesOf(6)));
    RepairRequest request;
    request.steps = std::move(steps);
    return repairModel(network.state, *network.data, calibration, network.settings, {}, request,
                       network.memory, network.job);
  }

  RepairCase network{kTwoOutputs, kOnlyWeights, samplesOf(5)};
};

double gainOf(const RepairResult& result, std::size_t output) {
  return result.end.heldOut[output].error.sqnrDb.value() -
         result.start.heldOut[output].error.sqnrDb.value();
}

}  // namespace

/// No output pays for the others.
class TwoOutputsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void smallLossesDoNotAddUp();
  void stepsAreNotLeftOutAtTheCostOfAnother();
};

// Each step costs the other output 0.07 dB.
void TwoOutputsTest::smallLossesDoNotAddUp() {
  TwoOutputs two;
  const RepairResult result = two.repair({two.planted("first", 0.8, 1, two.shiftFor(0.07)),
                                          two.planted("second", 0.6, 1, two.shiftFor(0.14))});
  QVERIFY2(result.steps[0].kept, result.steps[0].reason.c_str());
  QVERIFY(!result.steps[1].kept);
  QVERIFY2(result.steps[1].reason.starts_with("against the start, output 'z' loses"),
           result.steps[1].reason.c_str());
  QVERIFY(std::abs(gainOf(result, 0) + 0.07) < 0.001);
  QVERIFY(gainOf(result, 1) > 0.5);
}

// Without the first step the worst output is as good; the other one is not.
void TwoOutputsTest::stepsAreNotLeftOutAtTheCostOfAnother() {
  TwoOutputs two;
  const RepairResult both =
      two.repair({two.planted("first", 0.9, 0.6, 0), two.planted("second", 0.6, 0, 0)});
  QVERIFY2(both.steps[0].kept, both.steps[0].reason.c_str());
  QVERIFY2(both.steps[1].kept, both.steps[1].reason.c_str());
  QVERIFY(gainOf(both, 0) > 1);
}

QUANTSCOPE_TEST(TwoOutputsTest)
#include "test_two_outputs.moc"
