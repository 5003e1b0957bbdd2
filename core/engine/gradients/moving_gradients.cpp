// Operators that put elements of their inputs into other places. Their adjoint adds each output's
// cotangent to the element that it came from. Where elements come from is found by running the
// operator itself on their numbers, which is exact for all of its attributes and versions.

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"
#include "engine/operator_registry.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"
#include "engine/recent_cache.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaps = 4;

// For each place of each output: which element of the moved inputs, laid end to end and counted
// from 1, stands there; 0 = no element.
struct ElementMap {
  std::vector<Shape> shapes;   // of the inputs
  std::vector<Tensor> others;  // inputs that are not moved; held, so that they stay what they are
  std::vector<Tensor> sources;
};

class MovingGradient final : public Gradient {
 public:
  using Moves = bool (*)(std::size_t input);

  // `filler`: the input that is a number to fill up with.
  MovingGradient(const Node& node, const Graph& graph, Moves moves, std::size_t filler)
      : m_node(node), m_moves(moves), m_filler(filler), m_maps(kMaps) {
    const KernelFactory factory = operatorRegistry().find(node);
    if (factory == nullptr) throw Error(ErrorCode::UnsupportedOperation, "it cannot be run");
    // Removes the fill value, so that filled-in elements are 0: no element.
    std::erase_if(m_node.attributes, [](const Attribute& each) { return each.name == "value"; });
    m_kernel = factory(m_node, graph);
  }

  bool readsInput(std::size_t index, Wanted /*wanted*/) const override { return isRead(index); }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    for (std::size_t i = 0; i < call.wanted.size(); ++i) {
      if (call.wanted[i] == 0 || m_moves(i)) continue;
      throw Error(ErrorCode::UnsupportedOperation,
                  "input " + std::to_string(i) + " of " + m_node.op + " has no gradient");
    }
    const auto map = mapOf(call);
    std::vector<std::size_t> first = firstElements(call.inputShapes);
    Tensor all(call.type(), Shape{static_cast<std::int64_t>(first.back())});
    visitRealType(call.type(), [&]<class T>() {
      const std::span<T> sums = all.mutableValues<T>();
      std::ranges::fill(sums, T{0});
      for (std::size_t i = 0; i < map->sources.size(); ++i) {
        const Tensor dy = call.plainCotangent(i);
        if (dy.defined()) scatter<T>(dy, map->sources[i], sums);
      }
      for (std::size_t i = 0; i < call.wanted.size(); ++i) {
        if (call.wanted[i] == 0) continue;
        results[i] = Tensor(call.type(), call.inputShapes[i]);
        std::copy_n(sums.data() + first[i], results[i].elementCount(),
                    results[i].mutableValues<T>().data());
      }
    });
  }

 private:
  // Where the elements of each input begin; one entry more for the end. Inputs that are not moved
  // have none.
  std::vector<std::size_t> firstElements(std::span<const Shape> shapes) const {
    std::vector<std::size_t> first{0};
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const bool counts = m_moves(i) && isThere(i);
      first.push_back(first.back() +
                      (counts ? static_cast<std::size_t>(shapes[i].elementCount()) : 0));
    }
    return first;
  }

  bool isRead(std::size_t input) const { return !m_moves(input) && input != m_filler; }

  bool isThere(std::size_t input) const {
    return input < m_node.inputs.size() && m_node.inputs[input].valid();
  }

  template <class T>
  static void scatter(const Tensor& dy, const Tensor& sources, std::span<T> sums) {
    const std::span<const T> from = dy.values<T>();
    const std::span<const std::int32_t> places = sources.values<std::int32_t>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (places[i] != 0) sums[static_cast<std::size_t>(places[i] - 1)] += from[i];
    }
  }

  std::shared_ptr<const ElementMap> mapOf(const GradientCall& call) const {
    const auto matches = [&](const ElementMap& known) {
      if (!std::ranges::equal(known.shapes, call.inputShapes)) return false;
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        if (isRead(i) && !known.others[i].sharesElementsWith(call.inputs[i])) return false;
      }
      return true;
    };
    return m_maps.findOrMake(matches, [&] { return makeMap(call); });
  }

  std::shared_ptr<const ElementMap> makeMap(const GradientCall& call) const {
    auto map = std::make_shared<ElementMap>();
    map->shapes.assign(call.inputShapes.begin(), call.inputShapes.end());
    const std::vector<std::size_t> first = firstElements(call.inputShapes);
    if (first.back() >= std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorCode::InsufficientData, "the input has too many elements for a gradient");
    }
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < call.inputShapes.size(); ++i) {
      map->others.push_back(isRead(i) ? call.inputs[i] : Tensor());
      if (!isThere(i)) {
        inputs.emplace_back();
      } else if (m_moves(i)) {
        Tensor numbers(ElementType::Int32, call.inputShapes[i]);
        const std::span<std::int32_t> each = numbers.mutableValues<std::int32_t>();
        std::iota(each.begin(), each.end(), static_cast<std::int32_t>(first[i]) + 1);
        inputs.push_back(std::move(numbers));
      } else {
        inputs.push_back(i == m_filler ? Tensor::zeros(ElementType::Int32, call.inputShapes[i])
                                       : call.inputs[i]);
      }
    }
    map->sources.resize(call.cotangents.size());
    runKernel(*m_kernel, m_node, inputs, map->sources);
    for (Tensor& each : map->sources) {
      if (each.defined()) each = toLayout(each, Layout::Plain);
    }
    return map;
  }

  Node m_node;
  Moves m_moves;
  std::size_t m_filler;
  std::unique_ptr<Kernel> m_kernel;
  RecentCache<ElementMap> m_maps;
};

constexpr std::size_t kNoFiller = std::numeric_limits<std::size_t>::max();

bool movesFirst(std::size_t input) {
  return input == 0;
}
bool movesFirstAndLast(std::size_t input) {
  return input == 0 || input == 2;
}

template <MovingGradient::Moves moves, std::size_t filler = kNoFiller>
std::unique_ptr<Gradient> makeMoving(const Node& node, const Graph& graph) {
  if (node.text("reduction", "none") != "none") {
    throw Error(ErrorCode::UnsupportedOperation, "it combines elements");
  }
  return std::make_unique<MovingGradient>(node, graph, moves, filler);
}

// The same elements in the same order under another shape.
class ReshapingGradient final : public Gradient {
 public:
  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }
  bool readsShape(std::size_t index) const override { return index == 0; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    if (call.wanted[0] == 0 || !dy.defined()) return;
    results[0] = dy.shape() == call.inputShapes[0]
                     ? dy
                     : toLayout(dy, Layout::Plain).reshaped(call.inputShapes[0]);
  }
};

std::unique_ptr<Gradient> makeReshaping(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<ReshapingGradient>();
}

// Transposed by the inverse permutation.
class TransposeGradient final : public Gradient {
 public:
  TransposeGradient(const Node& node, const Graph& graph) : m_node(node) {
    const std::vector<std::int64_t> permutation = node.integers("perm");
    if (!permutation.empty()) {
      std::vector<std::int64_t> inverse(permutation.size());
      for (std::size_t i = 0; i < permutation.size(); ++i) {
        inverse.at(static_cast<std::size_t>(permutation[i])) = static_cast<std::int64_t>(i);
      }
      for (Attribute& attribute : m_node.attributes) {
        if (attribute.name == "perm") attribute.data = inverse;
      }
    }
    m_kernel = operatorRegistry().find(node)(m_node, graph);
  }

  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }
  bool readsShape(std::size_t /*index*/) const override { return false; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    std::vector<Tensor> inputs{call.cotangents[0]};
    runKernel(*m_kernel, m_node, inputs, results.first(1));
  }

 private:
  Node m_node;
  std::unique_ptr<Kernel> m_kernel;
};

std::unique_ptr<Gradient> makeTransposeGradient(const Node& node, const Graph& graph) {
  return std::make_unique<TransposeGradient>(node, graph);
}

// Cut apart again.
class ConcatGradient final : public Gradient {
 public:
  explicit ConcatGradient(const Node& node) : m_axis(node.integer("axis", 1)) {}
  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    const Tensor& dy = call.cotangents[0];
    const std::size_t axis = normalizeAxis(m_axis, dy.shape().rank());
    Shape from = Shape::filled(dy.shape().rank(), 0);
    for (std::size_t i = 0; i < call.inputShapes.size(); ++i) {
      if (call.wanted[i] != 0) results[i] = copyOfBox(dy, from, call.inputShapes[i]);
      from[axis] += call.inputShapes[i][axis];
    }
  }

 private:
  std::int64_t m_axis;
};

std::unique_ptr<Gradient> makeConcatGradient(const Node& node, const Graph& /*graph*/) {
  return std::make_unique<ConcatGradient>(node);
}

// Sums over the repeated elements.
class ExpandGradient final : public Gradient {
 public:
  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    results[0] = sumTo(call.cotangents[0], call.inputShapes[0]);
  }
};

std::unique_ptr<Gradient> makeExpandGradient(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<ExpandGradient>();
}

}  // namespace

void registerMovingGradients(GradientRegistry& registry) {
  // Their further inputs and outputs carry no real numbers of their own. A change of the type, as
  // by Cast, is the caller's business.
  for (const char* op :
       {"Identity", "Dropout", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast", "CastLike"}) {
    registry.add(op, makeReshaping);
  }
  registry.add("Transpose", makeTransposeGradient);
  registry.add("Concat", makeConcatGradient);
  registry.add("Expand", makeExpandGradient);
  for (const char* op :
       {"Slice", "Split", "Tile", "DepthToSpace", "SpaceToDepth", "Gather", "GatherElements",
        "GatherND", "ReverseSequence", "Trilu", "Compress", "Crop"}) {
    registry.add(op, makeMoving<movesFirst>);
  }
  registry.add("Pad", makeMoving<movesFirst, 2>);
  for (const char* op : {"ScatterND", "ScatterElements", "Scatter"}) {
    registry.add(op, makeMoving<movesFirstAndLast>);
  }
}

}  // namespace quantscope
