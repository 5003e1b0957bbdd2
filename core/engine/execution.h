#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/applied_quantization.h"
#include "engine/plan.h"

namespace quantscope {

/// One run of a plan, node by node. Whoever drives it can look at every value between two steps:
/// a value lives from the step that makes it until the start of the step after its last reader.
///
/// Not shared between threads; many executions of one plan may run at once. Run it inside
/// Workers::forEach or Workers::run, which set the floating-point mode.
class Execution {
 public:
  /// `given` must hold the values of the plan's request. `quantization` (may be null) must
  /// outlive the execution. `batch` samples run at once along axis 0: dynamic ranges are taken
  /// from each of them by itself.
  Execution(const Plan& plan, std::span<const std::pair<ValueId, Tensor>> given,
            const AppliedQuantization* quantization = nullptr, std::size_t batch = 1);
  ~Execution();

  bool finished() const;
  /// The node that the next step completes, or whose sub-graph it enters.
  NodeId next() const;
  /// Runs one node. Returns it once its outputs are there; none after entering a sub-graph.
  /// Throws Error with the node's name.
  NodeId step();
  void run();

  /// The value in logical order; undefined where it was not computed or is already forgotten.
  Tensor value(ValueId id) { return value(id, Layout::Plain); }
  /// The same in the preferred layout where it is at hand.
  Tensor value(ValueId id, Layout preferred);
  /// The body that the last step has started a run of, whose inputs are there now; none else.
  BlockId started() const { return m_started; }
  /// Sub-graphs entered and not yet left.
  std::size_t depth() const;

 private:
  // A value in the layouts that somebody has asked for so far.
  struct Slot {
    Tensor plain;
    Tensor channelsLast;
  };
  struct Frame;

  bool bodyEnded() const;
  NodeId leaveBody();
  void enter(NodeId node);
  void enterIf(const Node& node, NodeId id);
  void enterRepetition(const Node& node, NodeId id);
  void startIteration(Frame& frame);
  bool finishIteration(Frame& frame);
  std::optional<std::vector<Tensor>> finishBody(Frame& frame);
  void runNode(const Plan::Step& step);
  void forgetPending();
  Tensor takeInput(const Plan::Step& step, std::size_t index, Layout preferred);
  void store(ValueId id, Tensor tensor);

  const Plan& m_plan;
  const AppliedQuantization* m_quantization;
  std::size_t m_batch;
  BlockId m_started;
  std::vector<Slot> m_slots;
  std::vector<Frame> m_frames;
  std::vector<Tensor> m_inputs;  // of the node at hand; kept to reuse its memory
  std::vector<Tensor> m_outputs;
  std::span<const ValueId> m_pending;  // last read by the step before
};

}  // namespace quantscope
