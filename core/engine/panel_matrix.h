#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/part_loop.h"
#include "engine/fusion/product_follow_up.h"
#include "engine/recent_cache.h"
#include "kernels/network/panel_product.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Calls body(first, end) for pieces of `panels` panels of `k` rows that are to be written, as
/// parts of the item at hand.
template <class Body>
void forEachPanel(std::size_t k, std::size_t panels, const Body& body) {
  const std::size_t panelSize = std::max<std::size_t>(1, k * kPanelColumns);
  forEachPiece(panels, std::max<std::size_t>(1, kPieceElements / panelSize), body);
}

/// The right factor of matrix products, in the order that the kernel reads.
class PanelMatrix {
 public:
  /// Copies b [k, n], float32, into memory for that use.
  PanelMatrix(const StridedMatrix& b, std::int64_t k, std::int64_t n,
              MemoryUse use = MemoryUse::Values);

  /// `write` writes the panels, in parts of an item.
  PanelMatrix(std::int64_t k, std::int64_t n, MemoryUse use,
              const std::function<void(float* panels)>& write);

  /// y [m, n] = a [m, k] · b + bias [n] (none where nullptr), row-major, in parts of an item. A row
  /// of y has the same bits for any m; see multiplyPanels. `next` is carried out on y.
  void multiply(const FactorRows& a, const float* bias, float* y,
                const ProductFollowUp& next) const;
  /// The same for row-major a.
  void multiply(const float* a, std::int64_t m, const float* bias, float* y) const;

  const float* panels() const { return m_panels.values<float>().data(); }

 private:
  /// Rows and panels of a part.
  struct Cut {
    std::size_t rows;
    std::size_t panels;
  };
  Cut cutFor(const FactorRows& a) const;

  std::size_t m_k;
  std::size_t m_n;
  Tensor m_panels;
};

/// The right factor of one node's products: laid out once where it is a constant of the graph, and
/// once more per quantization that is being evaluated; else anew in every run.
class PanelFactor {
 public:
  explicit PanelFactor(bool constant);

  /// `source`, whose elements are those of `matrix` [k, n].
  std::shared_ptr<const PanelMatrix> of(const Tensor& source, const StridedMatrix& matrix,
                                        std::int64_t k, std::int64_t n) const;
  /// `source`, of which `write` makes the panels of a matrix [k, n].
  std::shared_ptr<const PanelMatrix> of(const Tensor& source, std::int64_t k, std::int64_t n,
                                        const std::function<void(float* panels)>& write) const;

 private:
  struct Entry {
    Tensor source;  ///< held, so that its elements cannot become another tensor's
    PanelMatrix matrix;
  };

  std::shared_ptr<const PanelMatrix> of(const Tensor& source,
                                        const std::function<PanelMatrix()>& make) const;
  MemoryUse use() const { return m_constant ? MemoryUse::Weights : MemoryUse::Values; }

  bool m_constant;
  RecentCache<Entry> m_entries;
};

}  // namespace quantscope
