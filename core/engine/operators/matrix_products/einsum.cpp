#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "engine/operators/matrix_products/einsum_equation.h"
#include "engine/operators/matrix_products/matrix_products.h"
#include "engine/operators/matrix_products/stacked_product.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using EinsumTypes = TypeList<float, double, std::int32_t, std::int64_t>;

/// An operand whose axes have distinct labels.
struct Operand {
  Tensor elements;
  std::map<EinsumLabel, std::int64_t> strides;  ///< 0 where the operand repeats

  bool has(EinsumLabel label) const { return strides.contains(label); }
};

// Signed overflow wraps.
template <class T>
T wrappingSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

bool contains(const EinsumTerm& term, EinsumLabel label) {
  return std::ranges::find(term, label) != term.end();
}

class Summation {
 public:
  Summation(const EinsumEquation& equation, std::span<Tensor> inputs) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < equation.operands(); ++i) {
      ranks.push_back(requiredInput(inputs, i).shape().rank());
    }
    const std::vector<EinsumTerm> terms = equation.inputs(ranks);
    m_output = equation.output(terms);
    for (std::size_t i = 0; i < terms.size(); ++i) collectExtents(terms[i], inputs[i].shape());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      m_operands.push_back(makeOperand(terms[i], inputs[i]));
    }
  }

  // Contracts the operands from left to right.
  Tensor run() {
    Operand result = std::move(m_operands.front());
    for (std::size_t i = 1; i < m_operands.size(); ++i) result = contract(result, i);
    Shape shape;
    for (const EinsumLabel label : m_output) shape.append(m_extents[label]);
    return summed(result, m_output).elements.reshaped(shape);
  }

 private:
  void collectExtents(const EinsumTerm& term, const Shape& shape) {
    for (std::size_t axis = 0; axis < term.size(); ++axis) {
      std::int64_t& extent = m_extents.try_emplace(term[axis], 1).first->second;
      if (extent == 1) extent = shape[axis];
      // Ellipses broadcast; so do letters, in every runtime.
      if (shape[axis] == extent || shape[axis] == 1) continue;
      throw Error(ErrorCode::InvalidParameters,
                  "an operand of shape " + toString(shape) +
                      " does not agree with the others of the Einsum");
    }
  }

  // An axis named twice is a diagonal: its strides add up.
  Operand makeOperand(const EinsumTerm& term, const Tensor& tensor) const {
    const Shape strides = rowMajorStrides(tensor.shape());
    Operand operand{tensor, {}};
    for (std::size_t axis = 0; axis < term.size(); ++axis) {
      operand.strides[term[axis]] += tensor.shape()[axis] == 1 ? 0 : strides[axis];
    }
    return operand;
  }

  std::int64_t count(const EinsumTerm& labels) const {
    std::int64_t result = 1;
    for (const EinsumLabel label : labels) {
      if (__builtin_mul_overflow(result, m_extents.at(label), &result)) {
        throw Error(ErrorCode::InvalidParameters, "the Einsum has too many elements");
      }
    }
    return result;
  }

  // The elements in row-major order of `labels`, as a vector.
  Tensor arranged(const Operand& operand, const EinsumTerm& labels) const {
    if (labels.size() > kMaxCopyAxes) {
      throw Error(
          ErrorCode::UnsupportedOperation,
          "an Einsum over more than " + std::to_string(kMaxCopyAxes) + " axes is not supported");
    }
    Tensor result(operand.elements.type(), Shape{count(labels)});
    if (result.elementCount() == 0) return result;
    std::vector<CopyAxis> axes;
    std::int64_t stride = 1;
    for (std::size_t i = labels.size(); i-- > 0;) {
      const auto found = operand.strides.find(labels[i]);
      const std::int64_t source = found == operand.strides.end() ? 0 : found->second;
      axes.insert(axes.begin(), {m_extents.at(labels[i]), source, stride});
      stride *= m_extents.at(labels[i]);
    }
    stridedCopy(operand.elements.bytes(), result.mutableBytes(), byteSize(result.type()), axes);
    return result;
  }

  Operand rowMajor(Tensor elements, const EinsumTerm& labels) const {
    Operand operand{std::move(elements), {}};
    std::int64_t stride = 1;
    for (std::size_t i = labels.size(); i-- > 0;) {
      operand.strides[labels[i]] = stride;
      stride *= m_extents.at(labels[i]);
    }
    return operand;
  }

  // Sums over all labels that are not in `kept`, which gives the order of the result.
  Operand summed(const Operand& operand, const EinsumTerm& kept) const {
    EinsumTerm order = kept;
    for (const auto& [label, stride] : operand.strides) {
      if (!contains(kept, label)) order.push_back(label);
    }
    Tensor elements = arranged(operand, order);
    if (order.size() == kept.size()) return rowMajor(std::move(elements), kept);
    Tensor sums = Tensor::zeros(elements.type(), Shape{count(kept)});
    visitTypes(EinsumTypes{}, sums.type(), [&]<class T>() {
      const std::span<const T> values = elements.values<T>();
      const std::span<T> totals = sums.mutableValues<T>();
      for (std::size_t i = 0; i < values.size(); ++i) {
        T& total = totals[i / (values.size() / totals.size())];
        total = wrappingSum(total, values[i]);
      }
    });
    return rowMajor(std::move(sums), kept);
  }

  // True where the output or an operand after `index` needs the label.
  bool neededAfter(EinsumLabel label, std::size_t index) const {
    const auto later = m_operands.begin() + static_cast<std::ptrdiff_t>(index) + 1;
    return contains(m_output, label) ||
           std::any_of(later, m_operands.end(),
                       [label](const Operand& operand) { return operand.has(label); });
  }

  // Contracts two operands as a stack of matrix products: [both, left, inner] · [both, inner,
  // right].
  Operand contract(const Operand& a, std::size_t index) const {
    const Operand& b = m_operands[index];
    EinsumTerm both, inner, left, right;
    for (const auto& [label, stride] : a.strides) {
      const bool needed = neededAfter(label, index);
      if (b.has(label)) {
        (needed ? both : inner).push_back(label);
      } else if (needed) {
        left.push_back(label);
      }
    }
    for (const auto& [label, stride] : b.strides) {
      if (!a.has(label) && neededAfter(label, index)) right.push_back(label);
    }
    const auto joined = [](EinsumTerm first, const EinsumTerm& second, const EinsumTerm& third) {
      first.insert(first.end(), second.begin(), second.end());
      first.insert(first.end(), third.begin(), third.end());
      return first;
    };
    const Tensor rows = summed(a, joined(both, left, inner)).elements;
    const Tensor columns = summed(b, joined(both, inner, right)).elements;
    const ProductShapes shapes = productShapes({count(both), count(left), count(inner)},
                                               {count(both), count(inner), count(right)});
    Tensor y(rows.type(), shapes.output);
    multiplyStacks(rows, columns, shapes, y);
    return rowMajor(std::move(y), joined(both, left, right));
  }

  EinsumTerm m_output;
  std::map<EinsumLabel, std::int64_t> m_extents;
  std::vector<Operand> m_operands;
};

}  // namespace

std::unique_ptr<Kernel> makeEinsum(const Node& node, const Graph& /*graph*/) {
  const EinsumEquation equation(node.text("equation", ""));
  return makeKernel([equation](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    setOutput(outputs, 0, Summation(equation, inputs).run());
  });
}

}  // namespace quantscope
