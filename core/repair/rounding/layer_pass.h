#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/execution.h"
#include "repair/linear_layers.h"
#include "repair/repair_state.h"

namespace quantscope {

/// The inputs of a layer for one feed, Plain and float32, without the padding of its batch.
struct LayerInputs {
  Tensor twin;       ///< in the float twin
  Tensor quantized;  ///< in the quantized model, rounded as the layer reads it
};

/// Walks through the layers of a quantized model in execution order, all samples at once, beside
/// its float twin. At each layer the quantized values include the current state of the layers
/// before, so that a layer can compensate their errors.
class LayerPass {
 public:
  /// `layers` of `state.model`, which must outlive it, like the tools. Feeds beyond 3 GiB of values
  /// are left out, evenly. Those beyond the job's budget count, but run anew for each layer.
  LayerPass(const RepairState& state, const std::vector<LinearLayer>& layers, RepairTools& tools);
  ~LayerPass();

  std::size_t feedCount() const { return m_feeds; }
  /// Those whose values stay in memory from layer to layer.
  std::size_t keptCount() const { return m_runs.size(); }
  /// The indices of the layers in the order in which they come to be run.
  const std::vector<std::size_t>& order() const { return m_order; }

  /// Runs on to a layer, each in its turn.
  void advanceTo(const LinearLayer& layer);
  /// The inputs of the layer. May be called for different feeds from any thread, inside an item of
  /// the workers.
  LayerInputs inputs(const LinearLayer& layer, std::size_t feed);

  /// Gives the layer another weight (rounded) and bias, before it runs.
  void replace(const LinearLayer& layer, const Tensor& weight, const Tensor* bias);

 private:
  struct Run;

  std::unique_ptr<Run> start(std::size_t feed);
  void advance(Run& run, const LinearLayer& layer) const;
  LayerInputs inputsOf(Run& run, const LinearLayer& layer) const;
  void orderLayers(const std::vector<LinearLayer>& layers);

  const RepairState& m_state;
  RepairTools& m_tools;
  AppliedQuantization m_applied;
  std::unique_ptr<Plan> m_twinPlan;
  std::unique_ptr<Plan> m_quantizedPlan;
  std::size_t m_feeds = 0;
  std::mutex m_reading;
  std::vector<std::unique_ptr<Run>> m_runs;  // of the first feeds
  std::vector<std::size_t> m_order;
};

}  // namespace quantscope
