#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "engine/kernel.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {

/// The way in which a scattered update changes the element in its place.
enum class ScatterReduction { Replace, Add, Multiply, Maximum, Minimum };

/// The attribute `reduction`. Throws InvalidModel for a name that ONNX does not have.
inline ScatterReduction scatterReduction(const Node& node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "none") return ScatterReduction::Replace;
  if (reduction == "add") return ScatterReduction::Add;
  if (reduction == "mul") return ScatterReduction::Multiply;
  if (reduction == "max") return ScatterReduction::Maximum;
  if (reduction == "min") return ScatterReduction::Minimum;
  throw Error(ErrorCode::InvalidModel, "there is no reduction '" + reduction + "'");
}

/// `held` and `update` combined; integers wrap around.
template <class T>
T reduced(ScatterReduction reduction, T held, T update) {
  switch (reduction) {
    case ScatterReduction::Replace:
      break;
    case ScatterReduction::Add:
    case ScatterReduction::Multiply: {
      const bool adds = reduction == ScatterReduction::Add;
      if constexpr (std::is_integral_v<T>) {
        const auto a = static_cast<std::uint64_t>(held);
        const auto b = static_cast<std::uint64_t>(update);
        return static_cast<T>(adds ? a + b : a * b);
      } else {
        return adds ? held + update : held * update;
      }
    }
    case ScatterReduction::Maximum:
      return held < update ? update : held;
    case ScatterReduction::Minimum:
      return update < held ? update : held;
  }
  return update;
}

/// The input's elements to write updates into: itself if it is their sole owner, else a copy.
Tensor writableCopy(Tensor& x);

/// Calls scatter(target, updates, combine) with the elements as the narrowest type that the
/// reduction needs: raw ones where updates only replace.
template <class Scatter>
void visitScatter(ScatterReduction reduction, Tensor& target, const Tensor& updates,
                  const Scatter& scatter) {
  if (updates.type() != target.type()) {
    throw Error(ErrorCode::UnsupportedType, "updates of type " + std::string(name(updates.type())) +
                                                " cannot be written to " +
                                                std::string(name(target.type())) + " elements");
  }
  const auto call = [&]<class T>(const auto& combine) {
    scatter(reinterpret_cast<T*>(target.mutableBytes()),
            reinterpret_cast<const T*>(updates.bytes()), combine);
  };
  if (reduction == ScatterReduction::Replace) {
    visitRawElements(byteSize(target.type()), [&]<class T>() {
      call.template operator()<T>([](T& held, T update) { held = update; });
    });
  } else {
    visitTypes(NumberTypes{}, target.type(), [&]<class T>() {
      call.template operator()<T>(
          [reduction](T& held, T update) { held = reduced(reduction, held, update); });
    });
  }
}

}  // namespace quantscope
