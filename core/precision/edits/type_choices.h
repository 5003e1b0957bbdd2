#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "precision/backend/nearest_precision.h"
#include "precision/config/precision_words.h"
#include "precision/edits/edit_precision.h"
#include "precision/edits/fused_followers.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The types that a layer can be set to as a whole, integers by their signed one: those that are
/// chosen most first.
std::span<const QuantType> wholeTypes();

/// What the layers of a model can be set to under a configuration. A layer at a type has its
/// weights in it and its activations in that of the same width, as far as the backend has it; the
/// rest stays as near as the backend comes to what the configuration says. Layers are those of
/// QuantizedModel::layers.
class TypeChoices {
 public:
  /// Takes over from `before`, which may be null, what is the same. Throws InvalidConfiguration
  /// where an entry matches no node.
  TypeChoices(std::shared_ptr<const Engine> engine, Configuration config,
              std::shared_ptr<const QuantizedModel> model, const TypeChoices* before = nullptr);
  TypeChoices(const TypeChoices&) = delete;
  TypeChoices& operator=(const TypeChoices&) = delete;

  const Configuration& config() const { return m_config; }
  const Graph& graph() const { return m_engine->graph(); }
  const std::string& name(std::size_t layer) const;
  const std::string& operatorOf(std::size_t layer) const { return kind(layer).op; }
  std::size_t layerCount() const { return m_model->layers.size(); }
  /// The layer that a node is part of.
  std::optional<std::size_t> layerWith(NodeId node) const;

  /// Why a layer cannot be set to a type: "x86 runs Conv with weights of int8"; empty = it can.
  const std::string& refusal(std::size_t layer, QuantType type) const;
  /// The same of the type that a precision, which may be that of another layer, has for the layer.
  const std::string& refusal(std::size_t layer, const NodePrecision& precision) const;
  /// Why one tensor of a layer cannot have a type: "x86 runs Conv with weights of INT8 only"; empty
  /// where there is a way to run it so.
  std::string tensorRefusal(std::size_t layer, TensorRole role, QuantType type) const;
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
  /// The layers that a target means: those that a type can be set for, or, where there are none,
  /// all of them. Throws InvalidConfiguration for a pattern that is none.
  std::vector<std::size_t> layersOf(const PrecisionTarget& target) const;
  /// The same of all nodes of an operator type, a pattern or a scope, present and future ones.
  /// Layers that cannot take the type keep what they have. Throws as setPrecision() does.
  ConfigEdit setTypeOf(const PrecisionTarget& target, QuantType type) const;
  /// Sets fields of each of the layers; `what` goes before their names: "set weights to int4 of".
  /// Where the backend has one grid for an operator's inputs and outputs, fields of one go to both.
  ConfigEdit setFields(const std::vector<std::size_t>& layers, const PrecisionFields& fields,
                       const std::string& what) const;
  /// The same as a rule of the target, for present and future nodes. Layers that cannot have a type
  /// of `fields` keep what they have; among others, those of one grid get entries of their own
  /// where the fields would part it. Throws as setPrecision() does.
  ConfigEdit setFieldsOf(const PrecisionTarget& target, const PrecisionFields& fields,
                         const std::string& what) const;
  /// Why a layer cannot have a type of `fields`; empty where it can.
  std::string refusal(std::size_t layer, const PrecisionFields& fields) const;
  /// Sets those of the layers that can take its type to a precision that another layer has, as near
  /// as the backend comes to it, without ranges that were set by hand; `what` as above.
  ConfigEdit setPrecisionOf(const std::vector<std::size_t>& layers, const NodePrecision& precision,
                            const std::string& what) const;
  /// "reset /conv2": removes the entries of the layers.
  ConfigEdit reset(const std::vector<std::size_t>& layers) const;
  /// An edit with what it means for the followers of fused patterns (fused_followers.h) and for
  /// encodings (voided_encodings.h); all edits above have it.
  ConfigEdit complete(ConfigEdit edit) const;
  /// The node that a node's entry is owed to by complete(): the lead, left in float, of the pattern
  /// that it follows in; empty where its entry stands for itself.
  std::string followed(const std::string& node) const;

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

  /// What is the same for all configurations of a backend.
  struct OfBackend {
    std::vector<FloatRegion> regions;
    std::once_flag made;
    std::optional<FusedFollowers> followers;  // made when an edit asks
  };

  bool hasKindsOf(const TypeChoices& other) const;
  void findKinds();
  Kind kindOf(std::size_t layer) const;
  std::string refusalOf(const Kind& kind, QuantType type) const;
  std::optional<NearestPrecision> nearest(const Kind& kind, const NodePrecision& asked,
                                          QuantType type, int channelAxis) const;
  std::optional<NearestPrecision> fitted(const Kind& kind, const NodePrecision& asked,
                                         QuantType type, int channelAxis) const;
  NodePrecision nearestTo(std::size_t layer, const NodePrecision& asked) const;
  int channelAxis(std::size_t layer) const;
  const NodePrecision& baseOf(std::size_t layer) const;
  const Kind& kind(std::size_t layer) const { return m_kinds[m_kindOfLayer[layer]]; }
  NodeId lead(std::size_t layer) const { return m_model->layers[layer].layer.lead(); }
  bool completesRule(std::size_t layer) const;
  std::vector<ConfigStep> removalsWith(const ConfigEdit& edit) const;
  bool isApart(std::size_t layer, const PrecisionTarget& target) const;
  ConfigStep entering(std::size_t layer, const PrecisionFields& fields) const;
  ConfigStep step(std::size_t layer, const NodePrecision& precision) const;
  std::string whose(const std::vector<std::size_t>& layers) const;
  const FusedFollowers& followers() const;

  std::shared_ptr<const Engine> m_engine;
  std::shared_ptr<const QuantizedModel> m_model;
  Configuration m_config;
  PrecisionConfig m_withoutNodes;  // the same without the entries of single nodes
  ResolvedConfig m_resolved;
  ResolvedConfig m_otherwise;  // of m_withoutNodes
  std::shared_ptr<const Backend> m_backend;
  std::shared_ptr<OfBackend> m_ofBackend;
  std::vector<bool> m_floats;  // by node: findFloatNodes()
  std::vector<Kind> m_kinds;
  std::vector<std::size_t> m_kindOfLayer;
};

}  // namespace quantscope
