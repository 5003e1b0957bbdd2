#pragma once

#include "engine/onednn/onednn.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The sum of one value's cotangents over several runs. A gradient may add in oneDNN's order of the
/// elements; they are rearranged once, in total(), and not for each run.
class CotangentSum {
 public:
  /// Undefined = zero. Throws InvalidParameters for another shape than the one before.
  void add(const Tensor& cotangent);
  /// `packed`: float32, as `order` lays out the elements that `plain` describes, with its padding;
  /// `shape` is the value's.
  void addPacked(const Tensor& packed, const dnnl::memory::desc& order,
                 const dnnl::memory::desc& plain, const Shape& shape);
  void add(const CotangentSum& other);

  /// In the layout Plain; undefined = zero.
  Tensor total() const;

 private:
  Tensor unpacked() const;

  Tensor m_sum;  // of what was not packed
  Tensor m_packed;
  dnnl::memory::desc m_order;  // of m_packed
  dnnl::memory::desc m_plain;
  Shape m_shape;
};

}  // namespace quantscope
