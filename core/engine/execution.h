#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/applied_quantization.h"
#include "engine/fusion/element_chain.h"
#include "engine/plan.h"
#include "engine/value_slots.h"

namespace quantscope {

/// One run of a plan, step by step. Between two steps the caller can read every wanted value: a
/// value lives from the step that makes it until the start of the step after its last reader. The
/// choice of wanted values decides which nodes are fused and changes no bit.
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
  /// Likewise, from values that another run has stored.
  Execution(const Plan& plan, std::span<const std::pair<ValueId, StoredValue>> given,
            const AppliedQuantization* quantization, std::size_t batch);
  /// Goes on from where `other` stands, between two steps of the main graph, under another
  /// quantization: the same result as a run from the start where that differs from the other's in
  /// nodes alone that have not run yet. `other` may go on, too.
  Execution(const Execution& other, const AppliedQuantization* quantization);
  ~Execution();

  bool finished() const;
  /// Number of finished steps of the plan's main graph.
  std::size_t stepsDone() const;
  /// The node that the next step begins with, or whose sub-graph it enters.
  NodeId next() const;
  /// Runs one node and those fused with it. Returns the last of them, whose outputs are there; none
  /// after entering a sub-graph. Throws Error with the node's name.
  NodeId step();
  void run();

  /// The value in logical order; undefined where it was not computed or is already forgotten.
  Tensor value(ValueId id) { return value(id, Layout::Plain); }
  /// The same in the preferred layout where it is at hand.
  Tensor value(ValueId id, Layout preferred);
  /// Its shape alone, at no cost; none where the value is undefined.
  std::optional<Shape> shapeOf(ValueId id) const;
  /// The value in the form that another run can start from; undefined as above.
  StoredValue stored(ValueId id) const { return m_values.stored(id); }
  /// The sub-graph whose run the last step has started, with its inputs available now; else none.
  BlockId started() const { return m_started; }
  /// Sub-graphs entered and not yet left.
  std::size_t depth() const;

 private:
  struct Frame;

  bool bodyEnded() const;
  void advance(Frame& frame);
  NodeId leaveBody();
  void enter(NodeId node);
  void enterIf(const Node& node, NodeId id);
  void enterRepetition(const Node& node, NodeId id);
  void startIteration(Frame& frame);
  bool finishIteration(Frame& frame);
  std::optional<std::vector<Tensor>> finishBody(Frame& frame);
  enum class Halves { Widened, AsTheyAre };

  bool quantized(NodeId node) const;
  void runStep(const Plan::Step& step);
  void runNode(NodeId node, std::span<const ValueId> lastReads);
  void runFused(const Plan::Step& step);
  std::shared_ptr<const FollowerProgram> knownProgram(const Plan::Step& step, const Shape& shape,
                                                      Layout layout) const;
  ElementChain chainFrom(const Plan::Step& step, FollowUp& next);
  bool follow(const Plan::Step::Follower& follower, ElementChain& chain);
  bool appended(NodeId node, std::size_t chained, ElementChain& chain);
  void roundHalves(NodeId node, ElementChain& chain) const;
  void runKernelOnInputs(NodeId node, FollowUp* next = nullptr);

  void takeInputs(NodeId node, std::span<const ValueId> lastReads, std::size_t except,
                  Halves halves = Halves::Widened);
  Tensor constantInput(const Kernel& kernel, ValueId id) const;
  Tensor takeInput(ValueId id, bool last, Layout preferred, Halves halves);
  void widenInputs();
  void storeOutputs(NodeId node, std::size_t first);
  void forgetPending();

  const Plan& m_plan;
  const AppliedQuantization* m_quantization;
  std::size_t m_batch;
  BlockId m_started;
  ValueSlots m_values;
  std::vector<Frame> m_frames;
  std::vector<Tensor> m_inputs;  // of the node at hand; kept to reuse its memory
  std::vector<Tensor> m_outputs;
  /// The type that float32 elements of the current node stand for, as in StoredValue.
  ElementType m_half = ElementType::Float32;
  std::size_t m_stepsDone = 0;
  const Plan::Step* m_pending = nullptr;  // the step before, whose last reads are to be forgotten
};

}  // namespace quantscope
