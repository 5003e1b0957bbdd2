#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/kernel.h"
#include "engine/matrix_product.h"
#include "engine/operators/recurrence/recurrent_activation.h"
#include "engine/operators/recurrence/recurrent_cell.h"
#include "engine/operators/recurrence/recurrent_run.h"
#include "engine/operators/recurrence/recurrent_weights.h"

namespace quantscope {

/// Runs a cell over sequences: X [T, B, I] (layout 1: [B, T, I]), W [D, G·H, I], R [D, G·H, H],
/// B [D, 2·G·H], sequence_lens [B], initial_h and initial_c [D, B, H] (layout 1: [B, D, H]),
/// P [D, 3·H] → Y [T, D, B, H] (layout 1: [B, T, D, H]), Y_h and Y_c like the initial states.
class RecurrentKernel final : public Kernel {
 public:
  RecurrentKernel(const Node& node, const Graph& graph, std::unique_ptr<RecurrentCell> cell);
  void run(std::span<Tensor> inputs, std::span<Tensor> outputs) const override;

 private:
  RecurrentExtents extentsOf(std::span<Tensor> inputs) const;
  void requireShapes(std::span<Tensor> inputs, const RecurrentExtents& extents) const;
  void runOne(std::int64_t direction, const RecurrentWeights& weights,
              const RecurrentExtents& extents, std::span<Tensor> inputs,
              std::span<Tensor> results) const;

  std::unique_ptr<RecurrentCell> m_cell;
  std::int64_t m_directions = 1;
  bool m_backwards;  ///< a single direction from the last step to the first
  bool m_batchFirst;
  std::int64_t m_hiddenSize;
  std::vector<RecurrentActivation> m_activations;
  RecurrentWeightCache m_weights;
  std::vector<std::unique_ptr<MatrixProduct>> m_products;  // by direction
};

}  // namespace quantscope
