#include "engine/gradients/gradient.h"

namespace quantscope {

ElementType GradientCall::type() const {
  for (const Tensor& cotangent : cotangents) {
    if (cotangent.defined()) return cotangent.type();
  }
  return ElementType::Float32;
}

Tensor GradientCall::plainInput(std::size_t index) const {
  if (index >= inputs.size() || !inputs[index].defined()) return {};
  return toLayout(inputs[index], Layout::Plain);
}

Tensor GradientCall::plainCotangent(std::size_t index) const {
  if (index >= cotangents.size() || !cotangents[index].defined()) return {};
  return toLayout(cotangents[index], Layout::Plain);
}

}  // namespace quantscope
