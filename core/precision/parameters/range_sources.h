#pragma once

#include <cstdint>
#include <set>

#include "precision/config/configuration.h"
#include "precision/parameters/encoded_names.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Where the range of a grid comes from.
enum class RangeSource : std::uint8_t {
  None,       ///< the type has no scale
  Sample,     ///< each sample has its own, taken while it runs
  Observer,   ///< found by the observer that the configuration asks for
  Magnitude,  ///< ternary and binary: from the mean magnitude, whatever the observer
  Hand,       ///< the configuration's `range`
  Backend,    ///< fixed by the backend
  Encoding,   ///< exact parameters from `encodings`
};

/// "none", "sample", "observer", "magnitude", "hand", "backend", "encoding".
const char* name(RangeSource source);

/// The sources of all ranges of a quantized model.
class RangeSources {
 public:
  /// `model` is quantized with `config`; all of them must outlive it.
  RangeSources(const Graph& graph, const Configuration& config, const QuantizedModel& model);

  RangeSource ofGroup(std::size_t group) const;
  /// Of the weight in place `input` of a layer.
  RangeSource ofWeight(const LayerQuantization& layer, std::size_t input) const;

 private:
  const QuantizedModel& m_model;
  ResolvedConfig m_config;
  std::set<std::size_t> m_encodedGroups;
  std::set<EncodedNames::Weight> m_encodedWeights;
};

}  // namespace quantscope
