#pragma once

#include <span>
#include <vector>

#include "base/content_id.h"
#include "engine/applied_quantization.h"
#include "engine/engine.h"

namespace quantscope {

/// The cache key of each value of a network under a quantization, without the sample. It combines
/// the network, the node, the effect of the quantization on the node, and the keys of its inputs.
/// If two quantizations give a value the same key, they give it the same bits.
///
/// A node with sub-graphs is one with all that is in them: its key changes with any effect inside,
/// and so do those of all values inside.
class ValueKeys {
 public:
  /// `quantization` may be null: the float network.
  ValueKeys(const Engine& engine, const AppliedQuantization* quantization);

  ContentId operator[](ValueId value) const { return m_keys[value.at()]; }

  /// The key of the first output of the last of `nodes`, each of which reads the one before, if
  /// they alone run under `quantization`, on the values of these keys.
  ContentId after(std::span<const NodeId> nodes, const AppliedQuantization& quantization) const;

 private:
  void addNode(NodeId node, const AppliedQuantization* quantization);
  void addInside(BlockId body, ContentId owner);

  const Engine& m_engine;
  std::vector<ContentId> m_keys;  // by value
};

}  // namespace quantscope
