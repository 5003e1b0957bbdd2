// Operators on any number of operands that broadcast.

#include <string>
#include <vector>

#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"

namespace quantscope {
namespace {

// Max and Min: all of it to the operand that is the output; among equals, to the first.
class ExtremeGradient final : public Gradient {
 public:
  bool readsOutput(std::size_t /*index*/) const override { return true; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    visitRealType(call.type(), [&]<class T>() {
      Tensor rest = call.cotangents[0];
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        const Tensor& x = call.inputs[i];
        const Tensor& y = call.outputs[0];
        if (call.wanted[i] != 0) {
          const Tensor each = mapBroadcast<T>(
              rest, x, y, [](T g, T value, T best) { return value == best ? g : T{0}; });
          results[i] = sumTo(each, call.inputShapes[i]);
        }
        rest = mapBroadcast<T>(rest, x, y,
                               [](T g, T value, T best) { return value == best ? T{0} : g; });
      }
    });
  }
};

// Sum, and Mean, which is the sum divided by the number of operands.
class TotalGradient final : public Gradient {
 public:
  explicit TotalGradient(bool mean) : m_mean(mean) {}
  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    Tensor share = call.cotangents[0];
    if (m_mean) {
      visitRealType(call.type(), [&]<class T>() {
        const T count = static_cast<T>(call.inputShapes.size());
        share = mapPairs<T>(share, share, [count](T g, T) { return g / count; });
      });
    }
    for (std::size_t i = 0; i < call.inputShapes.size(); ++i) {
      if (call.wanted[i] != 0) results[i] = sumTo(share, call.inputShapes[i]);
    }
  }

 private:
  bool m_mean;
};

std::unique_ptr<Gradient> makeExtreme(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<ExtremeGradient>();
}

std::unique_ptr<Gradient> makeTotal(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<TotalGradient>(false);
}

std::unique_ptr<Gradient> makeMeanOfOperands(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<TotalGradient>(true);
}

}  // namespace

void registerVariadicGradients(GradientRegistry& registry) {
  registry.add("Max", makeExtreme);
  registry.add("Min", makeExtreme);
  registry.add("Sum", makeTotal);
  registry.add("Mean", makeMeanOfOperands);
}

}  // namespace quantscope
