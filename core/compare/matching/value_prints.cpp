#include "compare/matching/value_prints.h"

#include <algorithm>
#include <cmath>

#include "base/workers.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

// Of one feed: enough to tell values apart, few enough for models with thousands of them.
constexpr std::size_t kPlaces = 96;

// As alike as elements are that differ by rounding.
constexpr double kAlike = 0.97;
// Of values that another order of axes can make alike; quantization changes less.
constexpr double kPowerTolerance = 0.3;
// Of two orders with the same elements, the model's own counts.
constexpr double kOtherOrder = 0.002;
// Values behind a wrong layer, and other values of the network, are less alike.
constexpr double kSurelyAlike = 0.8;
constexpr double kClearlyMoreAlike = 0.05;

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

// Of the tensor as it would lie with its axes in that order.
std::vector<float> arrangedElements(std::span<const float> all, const Shape& shape,
                                    const AxisIndexes& axes) {
  const Shape strides = rowMajorStrides(shape);
  std::vector<float> elements;
  const std::size_t count = std::min(kPlaces, all.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = all.size() <= kPlaces ? i : placeOf(i, all.size());
    std::size_t at = 0;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto extent = static_cast<std::size_t>(shape[axes[k]]);
      at += rest % extent * static_cast<std::size_t>(strides[axes[k]]);
      rest /= extent;
    }
    elements.push_back(all[at]);
  }
  return elements;
}

double powerOf(std::span<const float> all) {
  double power = 0;
  for (const float x : all) {
    if (std::isfinite(x)) power += static_cast<double>(x) * x;
  }
  return power;
}

ValuePrint printOf(const Tensor& numbers) {
  ValuePrint print;
  print.shape = numbers.shape();
  print.elementCount = numbers.elementCount();
  addElements(numbers, print);
  const Shape longer = withoutUnits(print.shape);
  if (longer.rank() < 2) return print;
  const std::span<const float> all = numbers.values<float>();
  print.power = powerOf(all);
  for (const AxisIndexes& axes : ascendingOrders(longer)) {
    print.arranged.push_back({axes, arrangedElements(all, longer, axes)});
  }
  return print;
}

void append(const std::vector<float>& more, std::vector<float>& elements) {
  elements.insert(elements.end(), more.begin(), more.end());
}

// Another feed may have other extents, in another order.
void append(const ValuePrint& feed, ValuePrint& print) {
  append(feed.elements, print.elements);
  print.power += feed.power;
  if (feed.arranged.size() != print.arranged.size()) return print.arranged.clear();
  for (std::size_t i = 0; i < print.arranged.size(); ++i) {
    if (feed.arranged[i].axes != print.arranged[i].axes) return print.arranged.clear();
    append(feed.arranged[i].elements, print.arranged[i].elements);
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
    prints[index] = printOf(model.numbers(value, tensor));
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

double alike(const std::vector<float>& a, const std::vector<float>& b) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  double count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double first = a[i];
    const double second = b[i];
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

bool vary(const std::vector<float>& elements) {
  return std::ranges::any_of(elements, [&](float x) { return x != elements.front(); });
}

double shownLikeness(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && vary(a) && vary(b) ? alike(a, b) : 0;
}

std::vector<std::int64_t> sortedExtents(const Shape& shape) {
  const Shape longer = withoutUnits(shape);
  std::vector<std::int64_t> extents(longer.begin(), longer.end());
  std::ranges::sort(extents);
  return extents;
}

bool haveSamePower(const ValuePrint& a, const ValuePrint& b) {
  return std::abs(a.power - b.power) <= kPowerTolerance * std::max(a.power, b.power);
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
        append(feed[i], prints[i]);
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
  return alike(a.elements, b.elements);
}

std::optional<double> likenessInAnyOrder(const ValuePrint& a, const ValuePrint& b) {
  const std::optional<double> kept = likeness(a, b);
  if (!kept || *kept > kAlike || !haveSamePower(a, b)) return kept;
  double best = 0;
  for (const OrderLikeness& other : ordersBetween(a, b)) {
    if (!std::ranges::is_sorted(other.order)) best = std::max(best, other.likeness);
  }
  const bool sameShape = withoutUnits(a.shape) == withoutUnits(b.shape);
  return isClearlyMoreAlike(best, *kept, sameShape) ? best - kOtherOrder : *kept;
}

bool isClearlyMoreAlike(double other, double kept, bool keptHasReason) {
  return other > (keptHasReason ? kAlike : kSurelyAlike) && other > kept + kClearlyMoreAlike;
}

bool haveSameExtents(const ValuePrint& a, const ValuePrint& b) {
  return sortedExtents(a.shape) == sortedExtents(b.shape);
}

std::vector<OrderLikeness> ordersBetween(const ValuePrint& a, const ValuePrint& b) {
  std::vector<OrderLikeness> orders;
  if (a.arranged.empty() || b.arranged.empty() || !haveSameExtents(a, b)) return orders;
  for (const ArrangedPrint& arranged : b.arranged) {
    orders.push_back({orderBetween(a.arranged[0].axes, arranged.axes),
                      shownLikeness(a.arranged[0].elements, arranged.elements)});
  }
  return orders;
}

double likenessAsTheyLie(const ValuePrint& a, const ValuePrint& b) {
  return a.elementCount == b.elementCount ? shownLikeness(a.elements, b.elements) : 0;
}

}  // namespace quantscope
