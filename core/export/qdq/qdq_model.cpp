#include "export/qdq/qdq_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "export/qdq/activation_pair.h"
#include "export/qdq/constants_in_place.h"
#include "export/qdq/hidden_grids.h"
#include "export/qdq/needed_nodes.h"
#include "export/qdq/qdq_opset.h"
#include "export/qdq/stored_constant.h"
#include "graph/operator_traits.h"
#include "onnx/upgrade/upgrade_opset.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

/// Copies the graph block by block, node by node, and inserts the applied quantization.
class QdqBuilder {
 public:
  QdqBuilder(const Engine& engine, const QuantizedModel& model, int opset, bool hidesGrids)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_model(model),
        m_draft(opset),
        m_hidesGrids(hidesGrids),
        m_hidden(m_draft),
        m_needed(findNeededNodes(engine, model.applied)),
        m_placed(findPlacedParams(engine, model)) {
    m_result.opset = opset;
    m_result.readAs.resize(m_graph.values().size());
    m_copies.resize(m_graph.values().size());
    m_blocks.resize(m_graph.blocks().size());
    m_pairs.resize(m_graph.values().size());
    for (const ValueId output : m_graph.outputs()) m_outputs.insert(output);
    takeNames();
    nameFoldedValues();
  }

  QdqModel build() {
    m_draft.graph().name = m_graph.name;
    m_draft.graph().irVersion = m_graph.irVersion;
    m_draft.graph().opsets = m_graph.opsets;
    m_blocks[Graph::mainBlock().at()] = Graph::mainBlock();
    copyBlock(Graph::mainBlock());
    m_result.hidden = m_hidden.made();
    noteLayers();
    m_result.draft = m_draft.finish();
    upgradeOpset(m_result.draft.graph, m_result.opset);
    std::ranges::sort(m_result.losses, {}, &ExportLoss::node);
    return std::move(m_result);
  }

 private:
  // Reserves the names of all that stays; a replaced constant leaves its name free.
  void takeNames() {
    const auto take = [&](ValueId value) {
      if (value.valid()) m_draft.takeValueName(m_graph[value].name);
    };
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      if (!m_needed[i]) continue;
      const Node& node = m_graph.nodes()[i];
      m_draft.takeNodeName(node.name);
      for (std::size_t input = 0; input < node.inputs.size(); ++input) {
        if (placedConstant(m_model.applied[NodeId(i)], input) == nullptr) take(node.inputs[input]);
      }
      std::ranges::for_each(node.outputs, take);
    }
    for (const Block& block : m_graph.blocks()) {
      std::ranges::for_each(block.inputs, take);
      std::ranges::for_each(block.outputs, take);
    }
  }

  // The value before a folded normalization takes the name of the one behind it.
  void nameFoldedValues() {
    m_named.resize(m_graph.values().size());
    for (std::size_t i = 0; i < m_named.size(); ++i) m_named[i] = ValueId(i);
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      const Node& node = m_graph.nodes()[i];
      if (!m_model.applied[NodeId(i)].bypassed) continue;
      m_named[node.inputs[0].at()] = node.outputs[0];
    }
  }

  bool isRounded(ValueId value) const {
    const NodeId producer = m_graph[value].producer;
    return producer.valid() && !m_model.applied[producer].outputs.empty() &&
           m_graph[producer].outputs.at(0) == value;
  }

  // Behind the pair an output of the model keeps its name.
  std::string nameOf(ValueId value) {
    while (m_named[value.at()] != value) value = m_named[value.at()];
    const std::string& name = m_graph[value].name;
    if (!m_outputs.contains(value) || !isRounded(value)) return name;
    return m_draft.freeValueName(name + "_QuantizeLinear_Input");
  }

  ValueId copyOf(ValueId id) {
    if (!id.valid()) return {};
    ValueId& copy = m_copies[id.at()];
    if (copy.valid()) return copy;
    const Value& value = m_graph[id];
    Value added;
    added.name = nameOf(id);
    added.type = value.type;
    added.block = m_blocks[value.block.at()];
    added.constant = value.constant;
    copy = m_draft.graph().addValue(std::move(added));
    m_result.readAs[id.at()] = copy;
    return copy;
  }

  ValueId read(ValueId id) {
    if (!id.valid()) return {};
    const ValueId known = m_result.readAs[id.at()];
    return known.valid() ? known : copyOf(id);
  }

  void copyBlock(BlockId id) {
    const Block& block = m_graph[id];
    const BlockId copy = m_blocks[id.at()];
    for (const ValueId input : block.inputs) {
      const ValueId copied = copyOf(input);
      m_draft.graph().mutableBlock(copy).inputs.push_back(copied);
    }
    for (const NodeId node : block.nodes) {
      if (m_needed[node.at()]) copyNode(node);
    }
    for (const ValueId output : block.outputs) {
      const ValueId copied = read(output);
      m_draft.graph().mutableBlock(copy).outputs.push_back(copied);
    }
  }

  void copyNode(NodeId id) {
    const Node& node = m_graph[id];
    const NodeQuantization& applied = m_model.applied[id];
    if (applied.bypassed) {
      m_result.readAs[node.outputs[0].at()] = read(node.inputs[0]);
    } else {
      copyOperator(id, inputsOf(id));
    }
    for (const auto& [index, params] : applied.outputs) roundOutput(id, index, params);
  }

  void copyOperator(NodeId id, std::vector<ValueId> inputs) {
    const Node& node = m_graph[id];
    Node copy;
    copy.name = node.name;
    copy.op = node.op;
    copy.domain = node.domain;
    copy.version = node.version;
    copy.attributes = node.attributes;
    copy.inputs = std::move(inputs);
    copy.block = m_blocks[node.block.at()];
    const bool widened = isWidened(id);
    if (widened) widenInputs(copy);
    for (const ValueId output : node.outputs) {
      copy.outputs.push_back(widened ? widenedOutput(output, node) : copyOf(output));
    }
    const NodeId added = m_draft.graph().addNode(std::move(copy));
    for (const auto& [name, body] : node.bodies) {
      const BlockId block = m_draft.graph().addBlock(added);
      m_draft.graph().mutableNode(added).bodies.emplace_back(name, block);
      m_blocks[body.at()] = block;
      copyBlock(body);
    }
  }

  // Constants put in place of those of a half type have the numbers of a float: the node computes
  // in float, as the simulation does.
  bool isWidened(NodeId id) const {
    return !m_model.applied[id].constants.empty() && elementOf(m_graph[id]) != ElementType::Float32;
  }

  void widenInputs(Node& copy) {
    for (ValueId& input : copy.inputs) {
      if (!input.valid() || !mayRound(input)) continue;
      input = addCast(m_draft, input, ElementType::Float32, copy.name, copy.block);
    }
  }

  // The node's narrow output, with a Cast behind it to the value that others read.
  ValueId widenedOutput(ValueId output, const Node& node) {
    if (!output.valid()) return {};
    const ValueId narrow = copyOf(output);
    if (!mayRound(narrow)) return narrow;
    Value value;
    value.name = m_draft.freeValueName(node.name + "_float");
    value.type = withElement(m_graph[output].type, ElementType::Float32);
    value.block = m_blocks[node.block.at()];
    const ValueId wide = m_draft.graph().addValue(std::move(value));
    m_draft.narrowInto(wide, narrow, node.name);
    return wide;
  }

  std::vector<ValueId> inputsOf(NodeId id) {
    const Node& node = m_graph[id];
    const NodeQuantization& applied = m_model.applied[id];
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(placedConstant(applied, i) == nullptr ? read(node.inputs[i]) : ValueId());
    }
    for (const auto& [index, tensor] : applied.constants) {
      if (inputs.size() <= index) inputs.resize(index + 1);
      inputs[index] = placeConstant(id, index, tensor);
    }
    for (const auto& [index, factors] : applied.factors) {
      if (index < inputs.size() && inputs[index].valid()) {
        inputs[index] = multiply(id, inputs[index], factors);
      }
    }
    for (const auto& [index, params] : applied.inputs) {
      if (index >= inputs.size() || !inputs[index].valid() || !mayRound(inputs[index])) continue;
      inputs[index] = pairOn(node.inputs[index], inputs[index], params, id);
    }
    if (m_hidesGrids && hasFloatWeights(id)) inputs[0] = m_hidden.of(inputs[0]);
    return inputs;
  }

  // Of one of the operators whose weights ONNX Runtime would round.
  bool hasFloatWeights(NodeId id) const {
    const OperatorTraits& traits = operatorTraits(m_graph[id]);
    if (!traits.biasSlot || traits.inputChannelAxis == nullptr) return false;
    const std::optional<std::size_t> slot = weightInput(m_engine, m_graph[id]);
    if (!slot || *slot == 0) return false;
    const auto placed = m_placed.find({id, *slot});
    return placed == m_placed.end() || placed->second.grid == nullptr ||
           !isInteger(placed->second.grid->type);
  }

  bool mayRound(ValueId copy) const {
    const std::optional<ElementType>& element = m_draft.graph()[copy].type.element;
    return !element || isFloat(*element);
  }

  // The type that a node computes in; constants are narrowed to it.
  ElementType elementOf(const Node& node) const {
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const ElementType type = m_graph[output].type.element.value_or(ElementType::Float32);
      return isFloat(type) ? type : ElementType::Float32;
    }
    return ElementType::Float32;
  }

  ValueId placeConstant(NodeId id, std::size_t index, const Tensor& tensor) {
    const Node& node = m_graph[id];
    const ValueId original = index < node.inputs.size() ? node.inputs[index] : ValueId();
    const auto found = m_placed.find({id, index});
    const PlacedParams params = found == m_placed.end() ? PlacedParams() : found->second;
    const ConstantPlace place{original.valid() ? m_graph[original].name : node.name + "_bias",
                              m_blocks[node.block.at()]};
    if (params.grid != nullptr && original.valid()) {
      return sharedConstant(id, original, tensor, *params.grid, place);
    }
    if (params.bias != nullptr) {
      ExportLosses losses;
      const ValueId bias =
          addStoredBias(m_draft, tensor, *params.bias, params.integerLayer, place, losses);
      addLosses(node.name, losses);
      return bias;
    }
    return addFloatConstant(m_draft, tensor, place);
  }

  // Nodes that read one constant on the same grid share its codes.
  ValueId sharedConstant(NodeId id, ValueId original, const Tensor& tensor,
                         const QuantParams& params, const ConstantPlace& place) {
    for (const StoredWeight& known : m_stored[original]) {
      if (known.block == place.block && *known.params == params &&
          identical(known.tensor, tensor)) {
        return known.value;
      }
    }
    ExportLosses losses;
    const ValueId stored = addStoredConstant(m_draft, tensor, params, place, losses);
    addLosses(m_graph[id].name, losses);
    m_stored[original].push_back({&params, tensor, place.block, stored});
    return stored;
  }

  ValueId multiply(NodeId id, ValueId x, const ChannelFactors& channels) {
    const ValueType type = m_draft.graph()[x].type;
    if (!type.shape) {
      throw Error(ErrorCode::UnsupportedOperation,
                  "the factors of 'equalize' need an input whose number of axes is known",
                  {.file = {}, .node = m_graph[id].name, .value = m_draft.graph()[x].name},
                  "leave the layer out of 'equalize'");
    }
    // One extent for the channels' axis and each behind it: it broadcasts over those before.
    Shape shape = Shape::filled(type.shape->size() - static_cast<std::size_t>(channels.axis), 1);
    shape[0] = static_cast<std::int64_t>(channels.factors.size());
    const Tensor factors = Tensor::of(shape, std::span<const float>(channels.factors));
    const BlockId block = m_blocks[m_graph[id].block.at()];
    const std::string& base = m_graph[id].name;
    const ValueId constant =
        m_draft.constant(base + "_equalize",
                         fromFloat32(factors, type.element.value_or(ElementType::Float32)), block);
    return m_draft.node({"Mul", {x, constant}}, base + "_equalize", block, type);
  }

  ValueId pairOn(ValueId original, ValueId x, const QuantParams& params, NodeId reader) {
    const BlockId block = m_blocks[m_graph[reader].block.at()];
    for (const EdgePair& known : m_pairs[original.at()]) {
      if (known.from == x && known.block == block && *known.params == params) return known.to;
    }
    ExportLosses losses;
    const ValueId rounded =
        addActivationPair(m_draft, x, params, m_graph[original].name, block, losses);
    addLosses(m_graph[reader].name, losses);
    if (rounded != x) m_hidden.note(rounded, params);
    m_pairs[original.at()].push_back({x, block, &params, rounded});
    return rounded;
  }

  void roundOutput(NodeId id, std::size_t index, const QuantParams& params) {
    const Node& node = m_graph[id];
    const ValueId original = node.outputs.at(index);
    if (!original.valid()) return;
    const ValueId x = m_result.readAs[original.at()];
    ExportLosses losses;
    const ValueId rounded = mayRound(x)
                                ? addActivationPair(m_draft, x, params, m_graph[original].name,
                                                    m_blocks[node.block.at()], losses)
                                : x;
    addLosses(node.name, losses);
    if (rounded != x) m_hidden.note(rounded, params);
    if (m_outputs.contains(original)) m_draft.rename(rounded, m_graph[original].name);
    m_result.readAs[original.at()] = rounded;
  }

  void noteLayers() {
    for (const LayerQuantization& layer : m_model.layers) {
      const std::string& node = m_graph[layer.layer.lead()].name;
      if (!layer.notCalibrated.empty()) {
        m_result.losses.push_back({node, "a point of it stays float: " + layer.notCalibrated});
      }
    }
  }

  void addLosses(const std::string& node, ExportLosses& losses) {
    for (ExportLoss& loss : losses) {
      loss.node = node;
      if (std::ranges::find(m_result.losses, loss) == m_result.losses.end()) {
        m_result.losses.push_back(std::move(loss));
      }
    }
  }

  struct EdgePair {
    ValueId from;
    BlockId block;
    const QuantParams* params;
    ValueId to;
  };
  struct StoredWeight {
    const QuantParams* params;
    Tensor tensor;
    BlockId block;
    ValueId value;
  };

  const Engine& m_engine;
  const Graph& m_graph;
  const QuantizedModel& m_model;
  DraftBuilder m_draft;
  const bool m_hidesGrids;
  HiddenGrids m_hidden;
  std::vector<bool> m_needed;  // by node
  std::map<std::pair<NodeId, std::size_t>, PlacedParams> m_placed;
  std::set<ValueId> m_outputs;   // of the model
  std::vector<ValueId> m_named;  // by value: whose name it has
  std::vector<ValueId> m_copies;
  std::vector<BlockId> m_blocks;
  std::vector<std::vector<EdgePair>> m_pairs;  // by value
  std::map<ValueId, std::vector<StoredWeight>> m_stored;
  QdqModel m_result;
};

}  // namespace

QdqModel buildQdqModel(const Engine& engine, const QuantizedModel& model, std::optional<int> opset,
                       bool hidesGrids) {
  const int chosen = chooseQdqOpset(engine.graph(), model, opset);
  return QdqBuilder(engine, model, chosen, hidesGrids).build();
}

}  // namespace quantscope
