// Operators on two or three operands that broadcast: the elementwise cotangent, summed over the
// axes that were broadcast.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/operators/convert.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// Add and Sub: the cotangent itself.
class SumGradient final : public Gradient {
 public:
  SumGradient(const Node& node, bool subtracts) : m_legacy(node), m_subtracts(subtracts) {}
  bool readsInput(std::size_t index, Wanted /*wanted*/) const override {
    return m_legacy.active() && index == 1;
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    for (std::size_t i = 0; i < 2; ++i) {
      if (call.wanted[i] == 0) continue;
      Shape aligned = call.inputShapes[i];
      if (m_legacy.active() && i == 1) {
        std::vector<Tensor> operands{dy, call.plainInput(1)};
        m_legacy.apply(operands);
        aligned = operands[1].shape();
      }
      const Tensor sum = sumTo(m_subtracts && i == 1 ? negated(dy) : dy, aligned);
      results[i] = aligned == call.inputShapes[i]
                       ? sum
                       : toLayout(sum, Layout::Plain).reshaped(call.inputShapes[i]);
    }
  }

 private:
  LegacyBroadcast m_legacy;
  bool m_subtracts;
};

// dA = Σ first(dy, a, b), dB = Σ second(dy, a, b).
template <class Operation>
class BinaryGradient final : public Gradient {
 public:
  explicit BinaryGradient(const Node& node) : m_legacy(node) {}

  bool readsInput(std::size_t index, Wanted wanted) const override {
    return m_legacy.active() || Operation::reads(index, wanted);
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    std::vector<Tensor> operands(call.inputs.begin(), call.inputs.begin() + 2);
    const Tensor& dy = call.cotangents[0];
    // Operands that are not read are never used below, so any tensor can stand in for them.
    for (Tensor& operand : operands) {
      operand = operand.defined() ? convertedTo(operand, dy.type()) : dy;
    }
    if (m_legacy.active()) operands[1] = toLayout(operands[1], Layout::Plain);
    m_legacy.apply(operands);
    visitRealType(dy.type(), [&]<class T>() {
      const auto sum = [&](std::size_t i, const auto& function) {
        if (call.wanted[i] == 0) return;
        const Tensor each = mapBroadcast<T>(dy, operands[0], operands[1], function);
        const Shape& aligned = m_legacy.active() ? operands[i].shape() : call.inputShapes[i];
        results[i] = sumTo(each, aligned);
        if (aligned != call.inputShapes[i]) {
          results[i] = toLayout(results[i], Layout::Plain).reshaped(call.inputShapes[i]);
        }
      };
      sum(0, [](T g, T a, T b) { return g * Operation::first(a, b); });
      sum(1, [](T g, T a, T b) { return g * Operation::second(a, b); });
    });
  }

 private:
  LegacyBroadcast m_legacy;
};

struct Product {
  static bool reads(std::size_t index, Gradient::Wanted wanted) { return wanted[1 - index] != 0; }
  template <class T>
  static T first(T, T b) {
    return b;
  }
  template <class T>
  static T second(T a, T) {
    return a;
  }
};

struct Quotient {
  static bool reads(std::size_t index, Gradient::Wanted wanted) {
    return index == 1 || wanted[1] != 0;
  }
  template <class T>
  static T first(T, T b) {
    return 1 / b;
  }
  template <class T>
  static T second(T a, T b) {
    return -a / (b * b);
  }
};

// The derivative by the exponent is 0 where the base is: the limit for positive exponents. That by
// the base is 0 there for exponents between 0 and 1, like that of Sqrt.
struct Power {
  static bool reads(std::size_t /*index*/, Gradient::Wanted /*wanted*/) { return true; }
  template <class T>
  static T first(T a, T b) {
    const bool isRoot = b > 0 && b < 1;
    return b == 0 || (a == 0 && isRoot) ? T{0} : b * std::pow(a, b - 1);
  }
  template <class T>
  static T second(T a, T b) {
    return a == 0 ? T{0} : std::pow(a, b) * std::log(a);
  }
};

template <class Operation>
std::unique_ptr<Gradient> makeBinary(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<BinaryGradient<Operation>>(node);
}

std::unique_ptr<Gradient> makeAddition(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<SumGradient>(node, false);
}

std::unique_ptr<Gradient> makeSubtraction(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<SumGradient>(node, true);
}

// x where x ≥ 0, else slope·x.
class PReluGradient final : public Gradient {
 public:
  explicit PReluGradient(const Node& node) : m_legacy(node.version < 7) {}

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    const Tensor& x = call.inputs[0];
    Tensor slope = call.plainInput(1);
    if (m_legacy && slope.shape().rank() == 1 && x.shape().rank() >= 3 &&
        slope.elementCount() > 1) {
      Shape perChannel = slope.shape();
      while (perChannel.rank() + 1 < x.shape().rank()) perChannel.append(1);
      slope = slope.reshaped(perChannel);
    }
    visitRealType(dy.type(), [&]<class T>() {
      if (call.wanted[0] != 0) {
        results[0] = mapBroadcast<T>(dy, x, slope, [](T g, T a, T s) { return a < 0 ? g * s : g; });
      }
      if (call.wanted[1] != 0) {
        const Tensor each =
            mapBroadcast<T>(dy, x, slope, [](T g, T a, T) { return a < 0 ? g * a : T{0}; });
        results[1] =
            toLayout(sumTo(each, slope.shape()), Layout::Plain).reshaped(call.inputShapes[1]);
      }
    });
  }

 private:
  bool m_legacy;
};

std::unique_ptr<Gradient> makePRelu(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<PReluGradient>(node);
}

// Passes where the bounds let pass; a bound that is met gets nothing, and one that cuts the rest.
class ClipGradient final : public Gradient {
 public:
  explicit ClipGradient(const Node& node) : m_byInputs(node.version >= 11) {
    if (m_byInputs) return;
    m_low = static_cast<double>(node.real("min", std::numeric_limits<float>::lowest()));
    m_high = static_cast<double>(node.real("max", std::numeric_limits<float>::max()));
  }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const double low = m_byInputs ? boundOf(call, 1, m_low) : m_low;
    const double high = m_byInputs ? boundOf(call, 2, m_high) : m_high;
    const Tensor& dy = call.cotangents[0];
    const Tensor& x = call.inputs[0];
    visitRealType(dy.type(), [&]<class T>() {
      const T from = static_cast<T>(low);
      const T to = static_cast<T>(high);
      const auto share = [&](std::size_t i, const auto& takes) {
        if (i >= call.wanted.size() || call.wanted[i] == 0) return;
        const Tensor each =
            mapPairs<T>(dy, x, [takes](T g, T value) { return takes(value) ? g : T{0}; });
        results[i] = sumTo(each, call.inputShapes[i]);
      };
      share(0, [=](T value) { return value >= from && value <= to; });
      share(1, [=](T value) { return value < from && from <= to; });
      share(2, [=](T value) { return value > to || (value < from && from > to); });
    });
  }

 private:
  static double boundOf(const GradientCall& call, std::size_t index, double fallback) {
    const Tensor bound = call.plainInput(index);
    if (!bound.defined()) return fallback;
    return convertedTo(bound, ElementType::Float64).values<double>()[0];
  }

  bool m_byInputs;
  double m_low = -std::numeric_limits<double>::infinity();
  double m_high = std::numeric_limits<double>::infinity();
};

std::unique_ptr<Gradient> makeClip(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<ClipGradient>(node);
}

// condition ? x : y
class WhereGradient final : public Gradient {
 public:
  bool readsInput(std::size_t index, Wanted /*wanted*/) const override { return index == 0; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    const Tensor condition = convertedTo(call.plainInput(0), dy.type());
    visitRealType(dy.type(), [&]<class T>() {
      for (std::size_t i = 1; i < 3; ++i) {
        if (call.wanted[i] == 0) continue;
        const bool taken = i == 1;
        const Tensor each = mapBroadcast<T>(dy, condition, condition, [taken](T g, T c, T) {
          return (c != 0) == taken ? g : T{0};
        });
        results[i] = sumTo(each, call.inputShapes[i]);
      }
    });
  }
};

std::unique_ptr<Gradient> makeWhere(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<WhereGradient>();
}

}  // namespace

void registerBroadcastGradients(GradientRegistry& registry) {
  registry.add("Add", makeAddition);
  registry.add("Sub", makeSubtraction);
  registry.add("Mul", makeBinary<Product>);
  registry.add("Div", makeBinary<Quotient>);
  registry.add("Pow", makeBinary<Power>);
  registry.add("PRelu", makePRelu);
  registry.add("Clip", makeClip);
  registry.add("Where", makeWhere);
}

}  // namespace quantscope
