#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/content_id.h"
#include "engine/kernel.h"
#include "graph/graph.h"

namespace quantscope {

class Workers;

/// A node that cannot be executed, and why.
struct NotExecutable {
  NodeId node;
  std::string reason;
};

/// A graph prepared for runs: a kernel for every node that can be executed, and the values that
/// depend only on constants, computed once. Immutable; shared by all runs and threads.
class Engine {
 public:
  /// `content`: the id of the model that the graph was made from; without one the graph counts as
  /// different from all others.
  Engine(std::shared_ptr<const Graph> graph, const Workers& workers, ContentId content = {});

  const Graph& graph() const { return *m_graph; }
  std::shared_ptr<const Graph> sharedGraph() const { return m_graph; }
  /// The id of the network: equal for engines that compute the same.
  ContentId content() const { return m_content; }

  /// nullptr for control flow, and for nodes that cannot be executed.
  const Kernel* kernel(NodeId node) const { return m_kernels[node.at()].get(); }
  bool executable(NodeId node) const;
  const std::vector<NotExecutable>& notExecutable() const { return m_notExecutable; }

  /// The value of an initializer, or of anything computed from constants alone; else nullptr.
  const Tensor* constant(ValueId value) const;
  /// The same with half types widened to float32, once for all runs.
  const Tensor* widenedConstant(ValueId value) const;

 private:
  void makeKernel(NodeId node);
  void foldConstants(BlockId block);
  bool foldConstant(NodeId node);
  void widenConstants();

  std::shared_ptr<const Graph> m_graph;
  ContentId m_content;
  std::vector<std::unique_ptr<Kernel>> m_kernels;
  std::vector<Tensor> m_constants;  // by value; undefined = computed at run time
  std::vector<Tensor> m_widened;    // by value; of constants of a half type
  std::vector<NotExecutable> m_notExecutable;
};

/// True for the operators that run sub-graphs: If, Loop and Scan.
bool isControlFlow(const Node& node);

/// Runs one kernel on complete inputs: converts layouts, widens half types before and narrows
/// the results after. Errors get the node's name. `next`: see Kernel::runWith(); results that are
/// narrowed never take it.
void runKernel(const Kernel& kernel, const Node& node, std::span<Tensor> inputs,
               std::span<Tensor> outputs, FollowUp* next = nullptr);

}  // namespace quantscope
