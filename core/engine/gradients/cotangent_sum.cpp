#include "engine/gradients/cotangent_sum.h"

#include "engine/gradients/cotangents.h"
#include "engine/onednn/reorder.h"

namespace quantscope {

void CotangentSum::add(const Tensor& cotangent) {
  if (cotangent.defined()) addTo(m_sum, toLayout(cotangent, Layout::Plain));
}

void CotangentSum::addPacked(const Tensor& packed, const dnnl::memory::desc& order,
                             const dnnl::memory::desc& plain, const Shape& shape) {
  if (m_packed.defined() && !(m_order == order)) {
    add(unpacked());
    m_packed = Tensor();
  }
  if (!m_packed.defined()) {
    m_order = order;
    m_plain = plain;
    m_shape = shape;
  }
  addTo(m_packed, packed);
}

void CotangentSum::add(const CotangentSum& other) {
  add(other.m_sum);
  if (other.m_packed.defined()) {
    addPacked(other.m_packed, other.m_order, other.m_plain, other.m_shape);
  }
}

Tensor CotangentSum::unpacked() const {
  Tensor plain(ElementType::Float32, m_shape);
  onednn::reorder(m_order, m_packed.bytes(), m_plain, plain.mutableBytes());
  return plain;
}

Tensor CotangentSum::total() const {
  Tensor total = m_sum;
  if (m_packed.defined()) addTo(total, unpacked());
  return total;
}

}  // namespace quantscope
