#pragma once

#include <map>
#include <utility>
#include <vector>

#include "calibration/observers/observations.h"
#include "repair/overlay.h"
#include "repair/scales/scale_regions.h"

namespace quantscope {

/// The weights, biases and constants of a model while the channels of its regions are scaled, in
/// double.
class ScaledLayers {
 public:
  /// Both must outlive it.
  ScaledLayers(const Engine& engine, const std::vector<LinearLayer>& layers);

  /// Divides what makes channel c of the region by factors[c] and multiplies what reads it.
  void scale(const ScaleRegion& region, const std::vector<double>& factors);

  /// By channel of the region: the largest weight that makes it, and the largest that reads it.
  std::vector<double> largestMaking(const ScaleRegion& region) const;
  std::vector<double> largestReading(const ScaleRegion& region) const;

  /// The current weights of a layer, all elements.
  const std::vector<double>& weight(std::size_t layer) const { return m_weights[layer]; }
  std::vector<double>& changedWeight(std::size_t layer);
  const std::vector<double>& bias(std::size_t layer) const { return m_biases[layer]; }
  /// The bias of a layer that has a place for it.
  std::vector<double>& changedBias(std::size_t layer);
  /// b −= shift for every output channel of a layer.
  void shiftOutputs(std::size_t layer, const std::vector<double>& shifts);

  /// All changes so far.
  Overlay overlay() const;

 private:
  using Place = std::pair<NodeId, std::size_t>;

  ScaledOutputs& outputsOf(std::size_t layer);
  void scale(const ScaleRegion::Factor& factor, const std::vector<double>& by, bool divides);

  const Engine& m_engine;
  const std::vector<LinearLayer>& m_layers;
  std::vector<std::vector<double>> m_weights;
  std::vector<std::vector<double>> m_biases;
  std::vector<bool> m_changed;
  std::vector<ScaledOutputs> m_outputs;  // by layer; without factors where nothing changed
  std::map<Place, std::vector<double>> m_constants;  // changed constants
};

/// Calls visit(element) for the weights that make output channel o.
template <class Visit>
void forMaking(const LinearLayer& layer, std::size_t o, const Visit& visit) {
  for (std::size_t k = 0; k < layer.inputs; ++k) visit(layer.element(o, k));
}

/// Calls visit(output, element) for those that read input channel i of `channels` in all.
template <class Visit>
void forReading(const LinearLayer& layer, std::size_t channels, std::size_t i, const Visit& visit) {
  const std::size_t perChannel = layer.inputs * layer.groups / channels;
  const std::size_t group = i * perChannel / layer.inputs;
  const std::size_t first = i * perChannel % layer.inputs;
  for (std::size_t o = group * layer.outputsPerGroup(); o < (group + 1) * layer.outputsPerGroup();
       ++o) {
    for (std::size_t k = first; k < first + perChannel; ++k) visit(o, layer.element(o, k));
  }
}

/// By channel of the region: the largest value that its clips give, infinite where that was not
/// observed; 0 for channels that no clip gives.
std::vector<double> observedBehindClips(const Observations& observations,
                                        const ScaleRegion& region);

/// By channel of the region: the largest magnitude of the values that layers read, 0 where nothing
/// was observed.
std::vector<double> observedAbsmax(const Observations& observations,
                                   const std::vector<LinearLayer>& layers,
                                   const ScaleRegion& region);

}  // namespace quantscope
