#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// Fields of a tensor's precision; what is absent stays as it is.
struct TensorFields {
  std::optional<QuantType> type = {};  ///< as setType(): narrowed codes and a range set by hand go
  std::optional<bool> symmetric = {};
  std::optional<Granularity> granularity = {};
  std::optional<ObserverSpec> observer = {};
  std::optional<bool> dynamic = {};                         ///< true: a range set by hand goes
  std::optional<std::optional<Range>> range = {};           ///< none inside: the observer's
  std::optional<std::optional<std::int32_t>> lowest = {};   ///< none inside: that of the type
  std::optional<std::optional<std::int32_t>> highest = {};  ///< likewise

  bool empty() const { return *this == TensorFields(); }
  friend bool operator==(const TensorFields&, const TensorFields&) = default;
};

/// All fields of `precision`.
TensorFields fieldsOf(const TensorPrecision& precision);

/// Fields of a node's precision.
struct PrecisionFields {
  /// True: the node stays in float, and the rest does not count. False, and where any other field
  /// is set: it is quantized.
  std::optional<bool> float32 = {};
  TensorFields weight = {};
  TensorFields activation = {};
  TensorFields output = {};

  friend bool operator==(const PrecisionFields&, const PrecisionFields&) = default;
};

/// All fields of `precision`.
PrecisionFields fieldsOf(const NodePrecision& precision);
/// `precision` with the fields; what is left in float is as "fp32" in a file reads.
NodePrecision withFields(NodePrecision precision, const PrecisionFields& fields);
TensorPrecision withFields(TensorPrecision precision, const TensorFields& fields);
/// The fields of `after` that `before` has otherwise.
TensorFields changedFields(const TensorPrecision& before, const TensorPrecision& after);
/// `over` with what only `under` has.
TensorFields merged(TensorFields over, const TensorFields& under);

/// Whose precision an edit sets.
struct PrecisionTarget {
  enum class Kind : std::uint8_t {
    Default,
    OpType,   ///< all nodes of the operator type `names`[0]
    Pattern,  ///< all nodes whose whole name matches `names`[0]
    Scope,    ///< all nodes in the scope `names`[0] and in those inside it
    Nodes,    ///< the nodes `names`
  };
  Kind kind = Kind::Default;
  std::vector<std::string> names = {};

  friend bool operator==(const PrecisionTarget&, const PrecisionTarget&) = default;
};

/// True where the configuration has an entry for the target itself; of a scope, one that sets it.
bool hasEntry(const PrecisionConfig& config, const PrecisionTarget& target);

/// "everything", "every Conv", "names like .*fc", "scope /layer3", "/layer3/conv2", "3 nodes".
std::string describe(const PrecisionTarget& target);

/// The edit that sets fields of a target's precision. An entry that is not there yet begins as what
/// holds without it: for a node what the configuration says of it, for the others the default. A
/// scope is set by a pattern for the names in it, which is tried first; entries of nodes inside get
/// the same fields. Throws InvalidConfiguration for a node that the model does not have, a pattern
/// that is none, and an operator type, pattern or scope that no node matches.
ConfigEdit setPrecision(const Configuration& config, const Graph& graph,
                        const PrecisionTarget& target, const PrecisionFields& fields);

/// The edit that removes a target's entries, so that what holds without them holds again; of a
/// scope also those of nodes inside. The default becomes the built-in one. Throws as above.
ConfigEdit clearPrecision(const Configuration& config, const Graph& graph,
                          const PrecisionTarget& target);

/// The expression that the names of all nodes in a scope match: "/layer3[/.].*".
std::string scopeExpression(const std::string& scope);

/// "FP16", "INT8", "float", or what weights, activations and outputs are to be in so many words:
/// "weights int4 per-group of 32 along axis 1".
std::string words(const PrecisionFields& fields);

/// Edits of single places; `sentence` of edits that need more than their own.
ConfigEdit setDefault(const NodePrecision& precision, std::string sentence);
ConfigEdit setBackend(const std::string& backend);
ConfigEdit setConvention(Convention convention);
/// None: as the backend does it.
ConfigEdit setBias(std::optional<BiasRule> rule);
ConfigEdit setCalibrationSamples(std::size_t count);
ConfigEdit setThresholds(const DetectorThresholds& thresholds);
ConfigEdit setEncoding(const PointName& point, const Encoding& encoding);
ConfigEdit clearEncoding(const PointName& point);
/// True where the configuration has factors for the node.
bool isEqualized(const Configuration& config, const std::string& node);
ConfigEdit equalize(const std::string& node, std::vector<float> factors);
ConfigEdit clearEqualization(const std::string& node);
/// One edit of all of them.
ConfigEdit together(std::vector<ConfigEdit> edits, std::string sentence);

}  // namespace quantscope
