#include "engine/onednn/onednn.h"

#include <string>

#include "base/error.h"

namespace quantscope::onednn {
namespace {

ErrorCode codeOf(dnnl_status_t status) {
  switch (status) {
    case dnnl_unimplemented:
      return ErrorCode::UnsupportedOperation;
    case dnnl_out_of_memory:
      return ErrorCode::InsufficientData;
    default:
      return ErrorCode::InvalidParameters;
  }
}

}  // namespace

const dnnl::engine& cpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

void throwTranslated(const dnnl::error& error) {
  throw Error(codeOf(error.status),
              "oneDNN cannot run this operator (" + std::string(error.message) + ")");
}

dnnl::memory::dims dims(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

dnnl::memory::desc descriptor(const Shape& shape, Layout layout) {
  const Shape rowMajor = rowMajorStrides(shape);
  dnnl::memory::dims strides = dims(rowMajor);
  if (layout == Layout::ChannelsLast && shape.rank() >= 3) {
    // [N, C, D1, …] stored as [N, D1, …, C].
    for (std::size_t axis = 2; axis < shape.rank(); ++axis) strides[axis] *= shape[1];
    strides[1] = 1;
  }
  return descriptor(dims(shape), strides);
}

dnnl::memory::desc descriptor(const dnnl::memory::dims& extents,
                              const dnnl::memory::dims& strides) {
  return {extents, dnnl::memory::data_type::f32, strides};
}

dnnl::memory::desc anyOrder(const dnnl::memory::dims& extents) {
  return {extents, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

dnnl::primitive_attr userScratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace quantscope::onednn
