#include "tensor/tensor_id.h"

namespace quantscope {

ContentId contentId(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  ContentHasher hasher;
  hasher.add(static_cast<std::uint64_t>(tensor.type()));
  hasher.add(static_cast<std::uint64_t>(tensor.shape().rank()));
  for (std::size_t i = 0; i < tensor.shape().rank(); ++i) {
    hasher.add(static_cast<std::uint64_t>(tensor.shape()[i]));
  }
  const Tensor plain = toLayout(tensor, Layout::Plain);
  hasher.add(std::span(plain.bytes(), plain.byteSize()));
  return hasher.id();
}

}  // namespace quantscope
