#pragma once

// Only for source files that build primitives: the include below is a large one.
#include <oneapi/dnnl/dnnl.hpp>

#include "tensor/tensor.h"

namespace quantscope::onednn {

/// The one CPU engine that all primitives share.
const dnnl::engine& cpuEngine();

/// Rethrows an error of oneDNN as ours: unimplemented → UnsupportedOperation, out of memory →
/// InsufficientData, anything else → InvalidParameters.
[[noreturn]] void throwTranslated(const dnnl::error& error);

/// Runs `function`, which calls oneDNN, and translates its exceptions.
template <class Function>
decltype(auto) translated(const Function& function) {
  try {
    return function();
  } catch (const dnnl::error& error) {
    throwTranslated(error);
  }
}

/// Extents as oneDNN wants them.
dnnl::memory::dims dims(const Shape& shape);

/// float32 elements of a tensor of that shape and layout.
dnnl::memory::desc descriptor(const Shape& shape, Layout layout);
/// float32 elements with the given distance between neighbours along each axis.
dnnl::memory::desc descriptor(const dnnl::memory::dims& extents, const dnnl::memory::dims& strides);
/// float32 elements in whatever order the primitive likes best.
dnnl::memory::desc anyOrder(const dnnl::memory::dims& extents);

/// Attributes under which one primitive can run on several threads at once: the caller brings the
/// scratch memory.
dnnl::primitive_attr userScratchpad();

}  // namespace quantscope::onednn
