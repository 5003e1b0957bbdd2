#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repair/repair_step.h"

namespace quantscope {

/// Why biases of a layer are not fitted.
inline constexpr const char* kNoBiasPlace = "it has no place for a bias";

/// Places for the biases of products that have none yet: an Add of a constant vector behind each,
/// which the backend quantizes as one layer with the product. While a step runs they hold zeros;
/// those that it leaves at 0 are not inserted.
class InsertedBiases {
 public:
  /// All must outlive it. Throws what withOverlay() throws.
  InsertedBiases(const RepairState& state, const LinearLayers& layers, RepairTools& tools);

  /// The state with the places.
  const RepairState& state() const { return m_prepared ? *m_prepared : m_before; }
  /// The layers in that state, as LinearLayers::withShared() has them.
  const std::vector<LinearLayer>& layers() const { return m_layers; }
  /// Why a layer has no place for a bias.
  const std::string& whyNot(const LinearLayer& layer) const { return m_whyNot.at(layer.lead); }
  /// Makes a proposal for state() one for the state that was given.
  void moveInto(RepairProposal& proposal) const;

 private:
  std::string refusalOf(const LinearLayer& layer, const Backend& backend) const;
  void prepare(const Overlay& places, RepairTools& tools);

  const RepairState& m_before;
  std::optional<RepairState> m_prepared;
  std::vector<LinearLayer> m_layers;
  std::map<NodeId, std::string> m_whyNot;  // by the nodes that lead layers
};

}  // namespace quantscope
