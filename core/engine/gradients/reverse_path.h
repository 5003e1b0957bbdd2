#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/gradients/gradient.h"

namespace quantscope {

/// A value whose cotangent is asked for.
struct ReverseSource {
  ValueId value;
  /// Values that are looked at when the cotangent is there: made before the source is.
  std::vector<ValueId> beside;
};

/// The path of cotangents, from outputs back to sources, in the main graph. The way back needs the
/// values that a node computes with; this class lists them.
class ReversePath {
 public:
  /// The values that must be known at a node on the way back.
  struct Stop {
    NodeId node;
    std::vector<ValueId> elements;  ///< values whose elements are read
    std::vector<char> wanted;       ///< by input; empty where no cotangent goes through the node
  };

  /// The engine must outlive it.
  ReversePath(const Engine& engine, std::span<const ValueId> outputs,
              std::span<const ReverseSource> sources);

  /// All nodes of the main graph, in its order.
  const std::vector<Stop>& stops() const { return m_stops; }
  /// The gradient of a node that cotangents go through.
  const Gradient& gradient(NodeId node) const { return *m_gradients[node.at()]; }
  /// Values whose elements or shapes are needed on the way back.
  const std::vector<ValueId>& seen() const { return m_seen; }
  /// Why a value has no cotangent: "gradient not available: …"; empty if it has one.
  const std::string& whyNot(ValueId value) const { return m_whyNot[value.at()]; }
  /// True where cotangents flow. Else there is none, or it is 0: nothing depends on the value, or
  /// only through what is constant in steps, such as ArgMax.
  bool flows(ValueId value) const;

 private:
  void makeGradient(NodeId node);
  void findReached(std::span<const ReverseSource> sources);
  void findComplete(std::span<const ValueId> outputs);
  void collectStops(std::span<const ReverseSource> sources);
  void see(ValueId value);

  const Engine& m_engine;
  std::vector<std::unique_ptr<Gradient>> m_gradients;  // by node; null where there is none
  std::vector<std::string> m_reasons;                  // by node: why not
  std::vector<char> m_reached;                         // by value: depends on a source
  std::vector<char> m_leads;                           // by value: an output depends on it
  std::vector<std::string> m_whyNot;                   // by value
  std::vector<Stop> m_stops;
  std::vector<char> m_isSeen;  // by value
  std::vector<ValueId> m_seen;
};

}  // namespace quantscope
