#include "compare/paired_inputs.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "calibration/sources/model_input.h"

namespace quantscope {
namespace {

bool mayTake(const ModelInput& first, const ModelInput& second) {
  if (!first.shape || !second.shape) return true;
  if (first.shape->size() != second.shape->size()) return false;
  for (std::size_t i = 0; i < first.shape->size(); ++i) {
    const Dimension& a = (*first.shape)[i];
    const Dimension& b = (*second.shape)[i];
    if (a.known() && b.known() && a.extent != b.extent) return false;
  }
  return true;
}

// What is not known is the number of samples, which stays where it is among axes of extent 1.
Shape knownExtents(const std::vector<Dimension>& dimensions) {
  Shape shape;
  for (const Dimension& dimension : dimensions) {
    shape.append(dimension.known() ? dimension.extent : 1);
  }
  return shape;
}

// The order of the axes longer than 1 where one model has channels last and the other has them
// second.
std::optional<AxisIndexes> movedChannels(const Shape& ours, const Shape& theirs) {
  if (ours.rank() != theirs.rank() || ours.rank() < 3) return std::nullopt;
  AxisIndexes last(ours.rank());
  std::iota(last.begin(), last.end(), std::size_t{0});
  AxisIndexes first = last;
  std::rotate(last.begin() + 1, last.begin() + 2, last.end());
  std::rotate(first.begin() + 1, first.end() - 1, first.end());
  for (const AxisIndexes& permutation : {last, first}) {
    const bool fits =
        std::ranges::equal(permutation, theirs, {}, [&](std::size_t axis) { return ours[axis]; });
    if (fits) return withoutUnits(ours, permutation);
  }
  return std::nullopt;
}

// None where the second has other extents. Of equal ones no more is known than that.
std::optional<AxisOrder> orderOf(const ModelInput& first, const ModelInput& second) {
  if (mayTake(first, second)) return AxisOrder();
  const Shape ours = knownExtents(*first.shape);
  const Shape theirs = knownExtents(*second.shape);
  if (const auto moved = movedChannels(ours, theirs)) return AxisOrder(ours, theirs, *moved);
  const Shape ourLonger = withoutUnits(ours);
  const Shape theirLonger = withoutUnits(theirs);
  if (ourLonger.rank() != theirLonger.rank()) return std::nullopt;
  const AxisIndexes a = ascendingOrders(ourLonger).front();
  const AxisIndexes b = ascendingOrders(theirLonger).front();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (ourLonger[a[i]] != theirLonger[b[i]]) return std::nullopt;
  }
  return AxisOrder(ours, theirs, orderBetween(a, b));
}

[[noreturn]] void throwUnlike(const std::vector<ModelInput>& first,
                              const std::vector<ModelInput>& second, const std::string& what) {
  throw Error(ErrorCode::InvalidParameters,
              what + ": one model takes " + describe(first) + ", the other " + describe(second), {},
              "compare models that take the same samples");
}

}  // namespace

PairedInputs::PairedInputs(const ComparedModel& first, const ComparedModel& second)
    : m_second(second) {
  const std::vector<ModelInput> ours = modelInputs(first.graph());
  const std::vector<ModelInput> theirs = modelInputs(second.graph());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const auto named = std::ranges::find(ours, theirs[i].name, &ModelInput::name);
    const bool placed = named == ours.end() && i < ours.size();
    if (named == ours.end() && !placed) {
      throwUnlike(ours, theirs, "the models do not have the same inputs");
    }
    const ModelInput& source = placed ? ours[i] : *named;
    std::optional<AxisOrder> axes = orderOf(source, theirs[i]);
    if (!axes) {
      throwUnlike(ours, theirs,
                  "the inputs '" + source.name + "' and '" + theirs[i].name +
                      "' do not have the same shape");
    }
    m_pairs.push_back({source.value, theirs[i].value, *std::move(axes)});
  }
}

Feed PairedInputs::forSecond(const Feed& feed) const {
  Feed result = feed;
  result.inputs.clear();
  for (const auto& [first, second, axes] : m_pairs) {
    const auto source = std::ranges::find(feed.inputs, first, &std::pair<ValueId, Tensor>::first);
    if (source == feed.inputs.end()) continue;
    const Tensor tensor = axes.toSecond(source->second);
    const auto& shape = m_second.graph()[second].type.shape;
    if (!tensor.defined() || (shape && shape->size() != tensor.shape().rank())) {
      throw Error(ErrorCode::InvalidParameters,
                  "the samples have the shape " + toString(source->second.shape()) +
                      ", whose axes cannot be brought into the order of the other model's input",
                  {.file = {}, .node = {}, .value = m_second.graph()[second].name},
                  "compare models whose inputs have the same shape");
    }
    const auto wanted = m_second.graph()[second].type.element;
    const bool same = !wanted || *wanted == tensor.type();
    result.inputs.emplace_back(
        second,
        same ? tensor : m_second.tensorOf(second, toFloat32(toLayout(tensor, Layout::Plain))));
  }
  return result;
}

}  // namespace quantscope
