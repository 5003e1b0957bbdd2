#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "engine/fusion/element_program.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The elementwise operations behind a kernel, which a kernel that works tile by tile may carry out
/// on each tile of its output 0 while the tile is in the cache.
class FollowUp {
 public:
  /// The operations on a float32 output of a shape and layout; null where they are not known.
  using Find = std::function<std::shared_ptr<const ElementProgram>(const Shape&, Layout)>;

  /// Nothing follows.
  FollowUp() = default;
  explicit FollowUp(Find find) : m_find(std::move(find)) {}

  /// The operations that the caller has to carry out on all of the output; null where it must not.
  const ElementProgram* take(const Shape& shape, Layout layout) {
    if (m_find) m_taken = m_find(shape, layout);
    return m_taken.get();
  }
  bool taken() const { return m_taken != nullptr; }

 private:
  Find m_find;
  std::shared_ptr<const ElementProgram> m_taken;
};

}  // namespace quantscope
