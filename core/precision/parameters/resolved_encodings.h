#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "precision/config/encodings.h"
#include "precision/layers/fused_patterns.h"
#include "precision/sharing/observer_groups.h"

namespace quantscope {

/// An encoding with the path of its key: "encodings.conv1".
struct NamedEncoding {
  std::string path;
  const Encoding* encoding = nullptr;
};

/// The encodings of a configuration on a graph. A point has the encoding of its whole group.
class ResolvedEncodings {
 public:
  /// `encodings` must outlive it; `quantized` is what ConfiguredLayers says. Throws
  /// InvalidConfiguration, naming the entries: for names that the model does not have, and where
  /// members of a group, or names of one weight, get different parameters.
  ResolvedEncodings(const Engine& engine, const Encodings& encodings,
                    const std::vector<FusedLayer>& layers, const std::vector<bool>& quantized,
                    const ObserverGroups& groups);

  /// nullptr where there is none.
  const NamedEncoding* ofGroup(std::size_t group) const;
  const NamedEncoding* ofWeight(NodeId node, std::size_t input) const;
  bool empty() const { return m_groups.empty() && m_weights.empty(); }
  /// Entries without effect, because their point is not quantized.
  const std::vector<std::string>& notices() const { return m_notices; }

 private:
  std::map<std::size_t, NamedEncoding> m_groups;
  std::map<std::pair<NodeId, std::size_t>, NamedEncoding> m_weights;
  std::vector<std::string> m_notices;
};

/// Why an encoding cannot hold where `params` (type, codes, symmetry and mode) are asked for, as it
/// goes on from its path, and what to do about it; both empty where it can.
PointProblem contradictionOf(const QuantParams& params, const NamedEncoding& encoding);

/// `params` (type, codes, symmetry and mode as the configuration asks) with the grids of an
/// encoding, for a tensor of this shape (−1: an extent that is not known; no dimensions where
/// nothing is). Throws InvalidConfiguration where the two contradict each other, or the shape.
QuantParams withEncoding(QuantParams params, const NamedEncoding& encoding,
                         const std::vector<std::int64_t>* shape);

/// The parameters of a group that has an encoding. Throws as above, naming the point.
QuantParams encodedGroupParams(const Graph& graph, const ObserverGroups& groups, std::size_t group,
                               const Backend& backend, Convention convention,
                               const NamedEncoding& encoding);

}  // namespace quantscope
