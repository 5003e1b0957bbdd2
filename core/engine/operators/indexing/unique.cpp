#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/operators/data_movers/transpose.h"
#include "engine/operators/indexing/gather.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

// A total order: NaNs stand last and are equal to each other, as in NumPy.
template <class T>
bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
  }
  return a < b;
}

// Equal items as groups: `first` is the item that stands for each, in the order of the result.
struct Groups {
  Integers first;
  Integers counts;
  Integers inverse;  ///< the group of each item
};

// `items` rows of `length` elements.
template <class T>
Groups groupItems(const T* values, std::size_t items, std::size_t length) {
  const auto less = [&](std::int64_t a, std::int64_t b) {
    const T* left = values + static_cast<std::size_t>(a) * length;
    const T* right = values + static_cast<std::size_t>(b) * length;
    return std::lexicographical_compare(left, left + length, right, right + length, precedes<T>);
  };
  Integers order(items);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  Groups groups{.first = {}, .counts = {}, .inverse = Integers(items)};
  for (std::size_t i = 0; i < items; ++i) {
    if (i == 0 || less(order[i - 1], order[i])) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[static_cast<std::size_t>(order[i])] =
        static_cast<std::int64_t>(groups.first.size()) - 1;
  }
  return groups;
}

// Groups in the order in which they first occur.
Groups inOrderOfOccurrence(const Groups& sorted) {
  Integers order(sorted.first.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, {}, [&](std::int64_t group) { return sorted.first[static_cast<std::size_t>(group)]; });
  Groups groups;
  Integers place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto group = static_cast<std::size_t>(order[i]);
    groups.first.push_back(sorted.first[group]);
    groups.counts.push_back(sorted.counts[group]);
    place[group] = static_cast<std::int64_t>(i);
  }
  for (const std::int64_t group : sorted.inverse) {
    groups.inverse.push_back(place[static_cast<std::size_t>(group)]);
  }
  return groups;
}

Tensor withAxisFirst(const Tensor& x, std::size_t axis) {
  std::array<std::size_t, Shape::kMaxRank> permutation{};
  std::iota(permutation.begin(), permutation.end(), 0);
  std::rotate(permutation.begin(), permutation.begin() + static_cast<std::ptrdiff_t>(axis),
              permutation.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const Tensor turned = transposed(x, std::span(permutation).first(x.shape().rank()));
  return toLayout(turned, Layout::Plain);
}

Groups findGroups(const Tensor& x, std::size_t axis, bool sorted) {
  const Tensor turned = withAxisFirst(x, axis);
  const auto items = static_cast<std::size_t>(turned.shape()[0]);
  const std::size_t length = items == 0 ? 0 : turned.elementCount() / items;
  Groups groups;
  visitTypes(AllTypes{}, x.type(),
             [&]<class T>() { groups = groupItems(turned.values<T>().data(), items, length); });
  return sorted ? groups : inOrderOfOccurrence(groups);
}

Tensor toTensor(const Integers& values) {
  return Tensor::of(Shape{static_cast<std::int64_t>(values.size())},
                    std::span<const std::int64_t>(values));
}

std::unique_ptr<Kernel> unique(const Node& node, const Graph& /*graph*/) {
  std::optional<std::int64_t> signedAxis;
  if (node.has("axis")) signedAxis = node.integer("axis", 0);
  return makeKernel([signedAxis, sorted = node.integer("sorted", 1) != 0](
                        std::span<Tensor> inputs, std::span<Tensor> outputs) {
    Tensor x = requiredInput(inputs, 0);
    if (!signedAxis) x = x.reshaped({static_cast<std::int64_t>(x.elementCount())});
    const std::size_t axis = normalizeAxis(signedAxis.value_or(0), x.shape().rank());
    const Groups groups = findGroups(x, axis, sorted);
    const Shape count{static_cast<std::int64_t>(groups.first.size())};
    setOutput(outputs, 0, gathered(x, groups.first, count, axis));
    setOutput(outputs, 1, toTensor(groups.first));
    setOutput(outputs, 2, toTensor(groups.inverse));
    setOutput(outputs, 3, toTensor(groups.counts));
  });
}

}  // namespace

void registerUnique(OperatorRegistry& registry) {
  registry.add("Unique", {11}, unique);
}

}  // namespace quantscope
