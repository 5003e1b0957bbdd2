#include "compare/value_prints.h"

#include <algorithm>
#include <cmath>

#include "base/workers.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

// Of one feed: enough to tell values apart, few enough for models with thousands of them.
constexpr std::size_t kPlaces = 96;

// The place in the middle of each of kPlaces equal parts, shifted by turns so that no period of
// rows or channels is always met at the same point.
std::size_t placeOf(std::size_t i, std::size_t count) {
  constexpr std::size_t kTurn = 7;
  const std::size_t first = i * count / kPlaces;
  const std::size_t length = std::max<std::size_t>(1, (i + 1) * count / kPlaces - first);
  return first + i * kTurn % length;
}

void addElements(const Tensor& numbers, ValuePrint& print) {
  const std::span<const float> all = numbers.values<float>();
  if (all.size() <= kPlaces) {
    print.elements.insert(print.elements.end(), all.begin(), all.end());
    return;
  }
  for (std::size_t i = 0; i < kPlaces; ++i) print.elements.push_back(all[placeOf(i, all.size())]);
}

void takeShape(const Shape& shape, ValuePrint& print) {
  print.elementCount = static_cast<std::size_t>(shape.elementCount());
  for (const std::int64_t extent : shape) {
    if (extent != 1) print.shape.push_back(extent);
  }
}

std::vector<ValueId> wantedValues(const ComparedModel& model) {
  std::vector<ValueId> wanted;
  for (const ComparedValue& value : model.values()) wanted.push_back(value.members.front());
  return wanted;
}

std::vector<ValuePrint> printsOfFeed(const ComparedModel& model, const Plan& plan, const Feed& feed,
                                     const JobContext& job) {
  std::vector<ValuePrint> prints(model.values().size());
  const auto take = [&](ValueId value, const Tensor& tensor) {
    const std::size_t index = model.find(value);
    if (index == kNoValue || !tensor.defined()) return;
    if (model.values()[index].members.front() != value || !prints[index].elements.empty()) return;
    takeShape(tensor.shape(), prints[index]);
    addElements(model.numbers(value, tensor), prints[index]);
  };
  for (const auto& [input, tensor] : feed.inputs) take(input, tensor);
  Execution execution(plan, feed.inputs, nullptr, feed.batch);
  while (!execution.finished()) {
    job.throwIfCancelled();
    const NodeId node = execution.step();
    if (!node.valid() || model.graph()[node].block != Graph::mainBlock()) continue;
    for (const ValueId output : model.graph()[node].outputs) {
      if (output.valid()) take(output, execution.value(output));
    }
  }
  return prints;
}

}  // namespace

std::vector<ValuePrint> takePrints(const ComparedModel& model, const std::vector<Feed>& feeds,
                                   const JobContext& job) {
  const std::span<const ValueId> inputs = model.graph().inputs();
  const Plan plan(model.engine(), {{inputs.begin(), inputs.end()}, wantedValues(model), {}});
  std::vector<std::vector<ValuePrint>> byFeed(feeds.size());
  job.workers().forEach(
      feeds.size(), [&](std::size_t i) { byFeed[i] = printsOfFeed(model, plan, feeds[i], job); });
  std::vector<ValuePrint> prints(model.values().size());
  for (std::vector<ValuePrint>& feed : byFeed) {
    for (std::size_t i = 0; i < prints.size(); ++i) {
      if (prints[i].elements.empty()) {
        prints[i] = std::move(feed[i]);
      } else {
        const std::vector<float>& more = feed[i].elements;
        prints[i].elements.insert(prints[i].elements.end(), more.begin(), more.end());
      }
    }
  }
  return prints;
}

std::optional<double> likeness(const ValuePrint& a, const ValuePrint& b) {
  if (a.elements.empty() || a.elementCount != b.elementCount ||
      a.elements.size() != b.elements.size()) {
    return std::nullopt;
  }
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  double count = 0;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    const double first = a.elements[i];
    const double second = b.elements[i];
    if (!std::isfinite(first) || !std::isfinite(second)) continue;
    x += first;
    y += second;
    xx += first * first;
    yy += second * second;
    xy += first * second;
    ++count;
  }
  const double power = std::max(xx, yy);
  if (count == 0 || power == 0) return 1;
  const double agreement = std::clamp(1 - (xx - 2 * xy + yy) / power, 0.0, 1.0);
  const double spread = (xx - x * x / count) * (yy - y * y / count);
  // Where all elements are equal, there is nothing to correlate.
  if (!(spread > 1e-12 * power * power)) return agreement;
  const double correlation = (xy - x * y / count) / std::sqrt(spread);
  return (std::clamp(correlation, 0.0, 1.0) + agreement) / 2;
}

}  // namespace quantscope
