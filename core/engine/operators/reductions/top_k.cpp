#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/reductions/reduction_view.h"
#include "engine/operators/reductions/reductions.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

struct TopKSettings {
  explicit TopKSettings(const Node& node)
      : k(node, "k", 1), axis(node.integer("axis", -1)), largest(node.integer("largest", 1) != 0) {}

  // An attribute of one integer in version 1, an input from version 10 on.
  struct Count {
    Count(const Node& node, std::string_view attribute, std::size_t index) : m_index(index) {
      if (node.has(attribute)) m_fixed = node.integer(attribute, 0);
    }
    std::int64_t read(std::span<Tensor> inputs) const {
      return m_fixed ? *m_fixed : onlyInteger(requiredInput(inputs, m_index));
    }

   private:
    std::optional<std::int64_t> m_fixed;
    std::size_t m_index;
  };

  Count k;
  std::int64_t axis;
  bool largest;
};

// Compares two elements: the better one comes first, of equals the one that stands first. NaN
// counts as larger than every number, as in NumPy.
template <class T>
struct Ranking {
  bool operator()(std::int64_t a, std::int64_t b) const {
    const T left = x[a * stride];
    const T right = x[b * stride];
    if (below(right, left)) return largest;
    if (below(left, right)) return !largest;
    return a < b;
  }
  static bool below(T a, T b) { return a < b || (a == a && b != b); }

  const T* x;
  std::int64_t stride;
  bool largest;
};

template <class T>
void topK(const T* x, T* values, std::int64_t* indices, const AxisView& view, std::int64_t k,
          bool largest) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(view.extent));
  for (std::int64_t i = 0; i < view.outer * view.inner; ++i) {
    const std::int64_t outer = i / view.inner;
    const std::int64_t inner = i % view.inner;
    const T* run = x + outer * view.extent * view.inner + inner;
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      Ranking<T>{run, view.inner, largest});
    for (std::int64_t rank = 0; rank < k; ++rank) {
      const std::int64_t chosen = order[static_cast<std::size_t>(rank)];
      const std::int64_t place = (outer * k + rank) * view.inner + inner;
      values[place] = run[chosen * view.inner];
      indices[place] = chosen;
    }
  }
}

void runTopK(const TopKSettings& settings, std::span<Tensor> inputs, std::span<Tensor> outputs) {
  const Tensor& x = requiredInput(inputs, 0);
  const std::int64_t k = settings.k.read(inputs);
  const std::size_t axis = normalizeAxis(settings.axis, x.shape().rank());
  if (k < 0 || k > x.shape()[axis]) {
    throw Error(ErrorCode::InvalidParameters, "the best " + std::to_string(k) + " of " +
                                                  std::to_string(x.shape()[axis]) +
                                                  " elements do not exist");
  }
  Shape shape = x.shape();
  shape[axis] = k;
  Tensor values(x.type(), shape);
  Tensor indices(ElementType::Int64, shape);
  visitTypes(NumberTypes{}, x.type(), [&]<class T>() {
    topK(x.values<T>().data(), values.mutableValues<T>().data(),
         indices.mutableValues<std::int64_t>().data(), AxisView(x.shape(), axis), k,
         settings.largest);
  });
  setOutput(outputs, 0, std::move(values));
  setOutput(outputs, 1, std::move(indices));
}

std::unique_ptr<Kernel> topKKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = TopKSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        runTopK(settings, inputs, outputs);
      });
}

}  // namespace

void registerTopK(OperatorRegistry& registry) {
  registry.add("TopK", {1, 10, 11}, topKKernel);
}

}  // namespace quantscope
