#include <vector>

#include "engine/operators/operands.h"
#include "engine/operators/reductions/reducers.h"
#include "engine/operators/reductions/reduction_view.h"
#include "engine/operators/reductions/reductions.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

struct CumSumSettings {
  explicit CumSumSettings(const Node& node)
      : exclusive(node.integer("exclusive", 0) != 0), reverse(node.integer("reverse", 0) != 0) {}
  bool exclusive;
  bool reverse;
};

// Running sums in double (floats) or wrapping (integers), one per inner element.
template <class T>
void cumSum(const T* x, T* y, const AxisView& view, const CumSumSettings& settings) {
  std::vector<SumOf<T>> sums(static_cast<std::size_t>(view.inner));
  for (std::int64_t i = 0; i < view.outer; ++i) {
    std::ranges::fill(sums, SumOf<T>{0});
    for (std::int64_t step = 0; step < view.extent; ++step) {
      const std::int64_t place = settings.reverse ? view.extent - 1 - step : step;
      const std::int64_t row = (i * view.extent + place) * view.inner;
      for (std::size_t j = 0; j < sums.size(); ++j) {
        const SumOf<T> before = sums[j];
        sums[j] += static_cast<SumOf<T>>(x[row + static_cast<std::int64_t>(j)]);
        y[row + static_cast<std::int64_t>(j)] =
            static_cast<T>(settings.exclusive ? before : sums[j]);
      }
    }
  }
}

std::unique_ptr<Kernel> cumSumKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = CumSumSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const std::int64_t axis = onlyInteger(requiredInput(inputs, 1));
        const AxisView view(x.shape(), normalizeAxis(axis, x.shape().rank()));
        Tensor result(x.type(), x.shape());
        visitTypes(NumberTypes{}, x.type(), [&]<class T>() {
          cumSum(x.values<T>().data(), result.mutableValues<T>().data(), view, settings);
        });
        setOutput(outputs, 0, std::move(result));
      });
}

}  // namespace

void registerCumSum(OperatorRegistry& registry) {
  registry.add("CumSum", {11, 14}, cumSumKernel);
}

}  // namespace quantscope
