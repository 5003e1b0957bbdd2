#include "repair/scales/equivalence_gate.h"

#include <algorithm>
#include <cmath>

#include "base/counter_random.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

constexpr std::size_t kFeeds = 4;
constexpr double kRoundings = 0x1p-22;
constexpr double kMargin = 16;
constexpr double kLeastShare = 0x1p-18;
constexpr std::uint64_t kGateSeed = 17;

// The constants that the overlay replaces, as they are before it, each a few roundings off.
Overlay roundingsOf(const Engine& before, const Overlay& overlay) {
  Overlay off;
  const CounterRandom random(kGateSeed);
  for (std::size_t i = 0; i < overlay.constants.size(); ++i) {
    ChangedConstant change = overlay.constants[i];
    const Node& node = before.graph()[change.node];
    if (change.input >= node.inputs.size() || !node.inputs[change.input].valid()) continue;
    const Tensor* constant = before.constant(node.inputs[change.input]);
    if (constant == nullptr || constant->type() != ElementType::Float32) continue;
    Tensor tensor(ElementType::Float32, constant->shape());
    const std::span<float> elements = tensor.mutableValues<float>();
    const CounterRandom own = random.with(i);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const double sign = own.bits(k) & 1U ? 1 : -1;
      elements[k] = static_cast<float>(constant->values<float>()[k] * (1 + sign * kRoundings));
    }
    change.tensor = tensor;
    off.constants.push_back(std::move(change));
  }
  return off;
}

std::vector<Tensor> outputsOf(const Engine& engine, const Plan& plan, const Feed& feed) {
  Execution execution(plan, feed.inputs, nullptr, feed.batch);
  execution.run();
  std::vector<Tensor> outputs;
  for (const ValueId output : engine.graph().outputs()) outputs.push_back(execution.value(output));
  return outputs;
}

double largestDifference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.elementCount(); ++i) {
    const double difference = std::abs(double{a.values<float>()[i]} - b.values<float>()[i]);
    // Both infinite or both no number is the same.
    if (std::isfinite(difference)) largest = std::max(largest, difference);
  }
  return largest;
}

double largestMagnitude(const Tensor& tensor) {
  double largest = 0;
  for (const float each : tensor.values<float>()) {
    if (std::isfinite(each)) largest = std::max<double>(largest, std::abs(each));
  }
  return largest;
}

}  // namespace

std::string whyNotEquivalent(const Engine& before, const Engine& after, const Overlay& overlay,
                             RepairTools& tools) {
  const auto off = applyOverlay(before, roundingsOf(before, overlay), tools.job.workers());
  const Plan planBefore = planForOutputs(before);
  const Plan planAfter = planForOutputs(after);
  const Plan planOff = planForOutputs(*off);
  const std::size_t feeds = std::min(tools.calibration.feedCount(), kFeeds);
  for (std::size_t i = 0; i < feeds; ++i) {
    tools.job.throwIfCancelled();
    const Feed feed = tools.calibration.read(i);
    std::vector<Tensor> wanted;
    std::vector<Tensor> found;
    std::vector<Tensor> rounded;
    tools.job.workers().run([&] {
      wanted = outputsOf(before, planBefore, feed);
      found = outputsOf(after, planAfter, feed);
      rounded = outputsOf(*off, planOff, feed);
    });
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Tensor& output = wanted[k];
      if (output.type() != ElementType::Float32) continue;
      const double bound = std::max(kMargin * largestDifference(output, rounded[k]),
                                    kLeastShare * largestMagnitude(output));
      if (found[k].shape() == output.shape() && largestDifference(output, found[k]) <= bound) {
        continue;
      }
      return "it changes the float output '" + before.graph()[before.graph().outputs()[k]].name +
             "' by more than rounding";
    }
  }
  return {};
}

}  // namespace quantscope
