#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "precision/backend/nearest_precision.h"
#include "precision/edits/edit_precision.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The types that a layer can be set to as a whole, integers by their signed one: those that are
/// chosen most first.
std::span<const QuantType> wholeTypes();

/// Of the same width, and signed where it is an integer.
QuantType signedType(QuantType type);

/// What the layers of a model can be set to under a configuration. A layer at a type has its
/// weights in it and its activations in that of the same width, as far as the backend has it; the
/// rest stays as near as the backend comes to what the configuration says. Layers are those of
/// QuantizedModel::layers.
class TypeChoices {
 public:
  /// Throws InvalidConfiguration where an entry matches no node.
  TypeChoices(std::shared_ptr<const Engine> engine, Configuration config,
              std::shared_ptr<const QuantizedModel> model);
  TypeChoices(const TypeChoices&) = delete;
  TypeChoices& operator=(const TypeChoices&) = delete;

  const Configuration& config() const { return m_config; }
  const Graph& graph() const { return m_engine->graph(); }
  const std::string& name(std::size_t layer) const;
  const std::string& operatorOf(std::size_t layer) const { return kind(layer).op; }
  std::size_t layerCount() const { return m_model->layers.size(); }

  /// Why a layer cannot be set to a type: "x86 runs Conv with weights of int8"; empty = it can.
  const std::string& refusal(std::size_t layer, QuantType type) const;
  /// What it is set to now; none where it can be set to nothing.
  std::optional<QuantType> typeOf(std::size_t layer) const;
  /// True where the configuration has an entry for the layer alone.
  bool overridden(std::size_t layer) const;
  /// What the configuration says of the layer, and what it would say without that entry.
  const NodePrecision& precisionOf(std::size_t layer) const;
  const NodePrecision& otherwise(std::size_t layer) const;
  /// The same at a type that is not refused.
  NodePrecision precisionAt(std::size_t layer, QuantType type) const;
  /// Which of its tensors a precision speaks of.
  const LayerTensors& tensorsOf(std::size_t layer) const;

  /// "set /conv2 to FP16": those of `layers` that can take it. An entry that says what holds
  /// without it goes.
  ConfigEdit setType(const std::vector<std::size_t>& layers, QuantType type) const;
  /// The same of all nodes of an operator type, a pattern or a scope, present and future ones.
  ConfigEdit setTypeOf(const PrecisionTarget& target, QuantType type) const;
  /// Sets fields of each of the layers; `what` goes before their names: "set weights to int4 of".
  /// Where the backend has one grid for an operator's inputs and outputs, fields of one go to both.
  ConfigEdit setFields(const std::vector<std::size_t>& layers, const PrecisionFields& fields,
                       const std::string& what) const;
  /// "reset /conv2": removes the entries of the layers.
  ConfigEdit reset(const std::vector<std::size_t>& layers) const;

 private:
  /// What layers have in common that can be set to the same types.
  struct Kind {
    std::string op;
    LayerTensors tensors;
    bool dataMover = false;
    bool quantizable = false;
    std::vector<std::string> refusals;  // by place in wholeTypes()

    bool sameAs(const Kind& other) const;
  };

  Kind kindOf(std::size_t layer, bool quantizable) const;
  std::string refusalOf(const Kind& kind, QuantType type) const;
  std::optional<NearestPrecision> nearest(const Kind& kind, const NodePrecision& asked,
                                          QuantType type, int channelAxis) const;
  const NodePrecision& baseOf(std::size_t layer) const;
  const Kind& kind(std::size_t layer) const { return m_kinds[m_kindOfLayer[layer]]; }
  NodeId lead(std::size_t layer) const { return m_model->layers[layer].layer.lead(); }
  ConfigStep step(std::size_t layer, const NodePrecision& precision) const;
  std::string whose(const std::vector<std::size_t>& layers) const;

  std::shared_ptr<const Engine> m_engine;
  std::shared_ptr<const QuantizedModel> m_model;
  Configuration m_config;
  PrecisionConfig m_withoutNodes;  // the same without the entries of single nodes
  ResolvedConfig m_resolved;
  ResolvedConfig m_otherwise;  // of m_withoutNodes
  std::shared_ptr<const Backend> m_backend;
  std::vector<FusedLayer> m_patterns;  // under m_otherwise
  std::vector<Kind> m_kinds;
  std::vector<std::size_t> m_kindOfLayer;
};

}  // namespace quantscope
