#pragma once

#include "jobs/sample_network.h"
#include "repair/repair_case.h"
#include "training/trainer.h"

namespace quantscope::test {

inline constexpr const char* kTrainedNetwork = R"(
  input x:float[1,3,6,6]
  w1:float[6,3,3,3]
  b1:float[6]
  w2:float[6,6,3,3]
  b2:float[6]
  w3:float[6,6,3,3]
  b3:float[6]
  w4:float[4,6,1,1]
  b4:float[4]
  a = Conv(x, w1, b1) pads=[1,1,1,1] @conv1
  b = Relu(a) @relu1
  c = Conv(b, w2, b2) pads=[1,1,1,1] @conv2
  d = Relu(c) @relu2
  e = Conv(d, w3, b3) pads=[1,1,1,1] @conv3
  f = Relu(e) @relu3
  y = Conv(f, w4, b4) @conv4
  output y
)";

inline constexpr const char* kThreeBitWeights = R"({"quantscope": 1,
  "default": {"weight": {"type": "int4", "qmin": -4, "qmax": 3, "granularity": "per-tensor"},
              "activation": {"type": "uint4"}}, "backend": "generic", "bias": "float"})";

inline TrainingSettings shortSettings() {
  TrainingSettings settings;
  settings.steps = 60;
  settings.blockShare = 0.5;
  settings.batch = 8;
  return settings;
}

/// The network, with samples, folded and ready to be trained.
struct TrainingCase {
  explicit TrainingCase(std::size_t samples = 24, int threads = 2,
                        const char* text = kTrainedNetwork, const char* config = kThreeBitWeights)
      : network(text, config, samples, threads),
        state(network.folded()),
        layers(findLinearLayers(*state.engine, *state.model)) {}

  TrainingOutcome train(const TrainingSettings& settings) {
    return quantscope::train(state, layers, *network.data, {}, settings, network.job);
  }

  RepairState trained(const TrainingOutcome& outcome) {
    RepairTools tools = network.tools();
    return withOverlay(state, outcome.overlay, OverlayEffect::Fitted, tools);
  }

  RepairCase network;
  RepairState state;
  LinearLayers layers;
};

}  // namespace quantscope::test
