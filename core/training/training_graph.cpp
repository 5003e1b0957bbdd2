#include "training/training_graph.h"

#include <algorithm>
#include <map>

#include "engine/training_quantizer.h"
#include "onnx/names.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

ValueType typeOf(ElementType type, const Shape& shape) {
  std::vector<Dimension> extents;
  for (const std::int64_t extent : shape.dimensions()) extents.push_back({extent, {}});
  return {type, std::move(extents)};
}

class Builder {
 public:
  Builder(const RepairState& state, const LinearLayers& layers, const NetworkBlock* block,
          const TrainingGraphOptions& options)
      : m_state(state),
        m_model(*state.model),
        m_source(state.engine->graph()),
        m_layers(layers),
        m_block(block),
        m_options(options),
        m_graph(m_source),
        m_learnable(learnableGroups(m_model)),
        m_unquantized(m_source.nodes().size()) {
    for (const Value& value : m_source.values()) m_names.take(value.name);
    for (const Node& node : m_source.nodes()) m_names.take(node.name);
    for (std::size_t i = 0; i < m_model.groups.points.size(); ++i) {
      const QuantizationPoint& point = m_model.groups.points[i];
      if (point.isOutput()) {
        m_outputPoint[point.value] = i;
      } else {
        m_edgePoint[{point.consumer, point.input}] = i;
      }
    }
    findUnquantized();
  }

  TrainingGraph build(const Workers& workers) {
    findInside();
    if (m_options.stochastic) addNoise();
    for (const NodeId node : m_source.main().nodes) {
      if (m_inside[node.at()] != 0) quantize(node);
    }
    // Nodes of bodies are quantized as they are.
    for (std::size_t i = 0; i < m_source.nodes().size(); ++i) {
      if (m_source.nodes()[i].block != Graph::mainBlock()) quantize(NodeId(i));
    }
    if (m_block != nullptr && m_block->input.valid()) startAt(m_block->input);
    setInputs();
    m_graph.finish();
    m_result.engine =
        std::make_shared<const Engine>(std::make_shared<const Graph>(std::move(m_graph)), workers);
    return std::move(m_result);
  }

 private:
  void findUnquantized() {
    for (const LayerQuantization& layer : m_model.layers) {
      if (!m_options.unquantized.contains(m_source[layer.layer.lead()].name)) continue;
      for (const NodeId member : layer.layer.members) m_unquantized[member.at()] = 1;
    }
  }

  // The nodes that the wanted values need, and the inputs of the network among them.
  void findInside() {
    m_inside.assign(m_source.nodes().size(), m_block == nullptr ? 1 : 0);
    m_result.inputs.assign(m_source.inputs().begin(), m_source.inputs().end());
    if (m_block == nullptr) return;
    std::vector<char> needed(m_source.values().size());
    for (const ValueId output : m_block->outputs) needed[output.at()] = 1;
    const std::vector<NodeId>& nodes = m_source.main().nodes;
    for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
      const bool wanted = std::ranges::any_of(m_source[*id].outputs, [&](ValueId output) {
        return output.valid() && output != m_block->input && needed[output.at()] != 0;
      });
      if (!wanted) continue;
      m_inside[id->at()] = 1;
      for (const ValueId value : readValues(m_source, *id)) needed[value.at()] = 1;
    }
    std::erase_if(m_result.inputs, [&](ValueId input) { return needed[input.at()] == 0; });
    if (m_block->input.valid()) m_result.inputs.push_back(m_block->input);
  }

  ValueId addValue(const std::string& like, BlockId block, ValueType type = {}) {
    Value value;
    value.name = m_names.takeLike(like);
    value.block = block;
    value.type = std::move(type);
    return m_graph.addValue(std::move(value));
  }

  ValueId addInput(const std::string& like, ElementType type, const Shape& shape) {
    const ValueId input = addValue(like, Graph::mainBlock(), typeOf(type, shape));
    m_parameters.push_back(input);
    return input;
  }

  ValueId addConstant(const std::string& like, BlockId block, const Tensor& tensor) {
    const ValueId value = addValue(like, block, typeOf(tensor.type(), tensor.shape()));
    m_graph.mutableValue(value).constant = tensor;
    return value;
  }

  void addNoise() { m_result.noise = addInput("noise", ElementType::Int64, Shape{1}); }

  void quantize(NodeId id) {
    const NodeQuantization& applied = m_model.applied[id];
    if (applied.bypassed) return pass(id);
    if (m_unquantized[id.at()] == 0) {
      placeConstants(id, applied);
      for (const auto& [slot, channels] : applied.factors) scale(id, slot, channels);
      for (const auto& [slot, params] : applied.inputs) {
        readQuantized(id, slot, params, pointOfEdge(id, slot));
      }
      for (const auto& [slot, params] : applied.outputs) writeQuantized(id, slot, params);
    }
    placeLayer(id);
  }

  void pass(NodeId id) {
    Node& node = m_graph.mutableNode(id);
    const auto own =
        std::ranges::find(m_graph.opsets, std::string(), &std::pair<std::string, int>::first);
    node.op = "Identity";
    node.version = operatorVersion({}, node.op, own == m_graph.opsets.end() ? 1 : own->second);
    node.inputs.resize(1);
    node.outputs.resize(1);
    node.attributes.clear();
  }

  std::optional<std::size_t> pointOfEdge(NodeId node, std::size_t slot) const {
    const auto found = m_edgePoint.find({node, slot});
    return found == m_edgePoint.end() ? std::nullopt : std::optional(found->second);
  }

  void setInput(NodeId node, std::size_t slot, ValueId value) {
    std::vector<ValueId>& inputs = m_graph.mutableNode(node).inputs;
    if (inputs.size() <= slot) inputs.resize(slot + 1);
    inputs[slot] = value;
  }

  // A constant on an edge whose grid is learned is rounded anew with every step.
  void placeConstants(NodeId id, const NodeQuantization& applied) {
    const Node& node = m_source[id];
    for (const auto& [slot, tensor] : applied.constants) {
      const std::optional<std::size_t> point = pointOfEdge(id, slot);
      if (point && m_learnable[m_model.groups.points[*point].group] != 0) {
        readQuantized(id, slot, *paramsOf(m_model, *point), point);
      } else {
        setInput(id, slot, addConstant(node.name + ".constant", node.block, tensor));
      }
    }
  }

  // The axis becomes the last one but those behind it, so that the factors broadcast.
  void scale(NodeId id, std::size_t slot, const ChannelFactors& channels) {
    const ValueId from = m_graph[id].inputs.at(slot);
    const std::optional<std::vector<Dimension>>& shape =
        m_source[m_source[id].inputs[slot]].type.shape;
    const std::size_t rank =
        shape ? shape->size() : static_cast<std::size_t>(std::max(channels.axis, 0)) + 1;
    std::vector<std::int64_t> extents(rank, 1);
    const auto axis = normalizeAxis(channels.axis, rank);
    extents[axis] = static_cast<std::int64_t>(channels.factors.size());
    const BlockId block = m_source[id].block;
    const ValueId factors =
        addConstant(m_source[id].name + ".factors", block,
                    Tensor::of<float>(Shape(extents), std::span(channels.factors)));
    const ValueId to = addValue(m_source[id].name + ".scaled", block);
    addNode("Mul", {}, 14, block, {from, factors}, to, {});
    setInput(id, slot, to);
  }

  void addNode(std::string_view op, std::string_view domain, int version, BlockId block,
               std::vector<ValueId> inputs, ValueId output, std::vector<Attribute> attributes) {
    Node node;
    node.name = m_names.takeLike("training/" + std::string(op));
    node.op = op;
    node.domain = domain;
    node.version = version;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.attributes = std::move(attributes);
    node.block = block;
    const NodeId id = m_graph.addNode(std::move(node));
    m_graph.mutableValue(output).producer = id;
  }

  void readQuantized(NodeId id, std::size_t slot, const QuantParams& params,
                     std::optional<std::size_t> point) {
    const ValueId from = m_graph[id].inputs.at(slot);
    const ValueId to = addValue(m_source[id].name + ".read", m_source[id].block);
    addQuantizer(from, to, params, point, m_source[id].block);
    setInput(id, slot, to);
  }

  // Readers find the rounded value under the id of the output.
  void writeQuantized(NodeId id, std::size_t slot, const QuantParams& params) {
    const ValueId output = m_source[id].outputs.at(slot);
    const auto found = m_outputPoint.find(output);
    const ValueId raw =
        addValue(m_source[id].name + ".raw", m_source[id].block, m_source[output].type);
    m_graph.mutableNode(id).outputs[slot] = raw;
    m_graph.mutableValue(raw).producer = id;
    addQuantizer(raw, output, params,
                 found == m_outputPoint.end() ? std::nullopt : std::optional(found->second),
                 m_source[id].block);
  }

  // A grid is learned where it is the one of its point's group.
  bool learns(const QuantParams& params, std::optional<std::size_t> point, BlockId block) const {
    return point && block == Graph::mainBlock() &&
           m_learnable[m_model.groups.points[*point].group] != 0 &&
           paramsOf(m_model, *point) == params;
  }

  void addQuantizer(ValueId from, ValueId to, const QuantParams& params,
                    std::optional<std::size_t> point, BlockId block) {
    TrainingQuantizer quantizer;
    quantizer.form = params;
    quantizer.batch = m_options.batch;
    quantizer.temperature = m_options.temperature;
    quantizer.tensor = to.at();
    std::vector<ValueId> inputs{from};
    if (quantizer.takesGrids()) {
      const GridInputs grids = learns(params, point, block)
                                   ? gridsOfGroup(m_model.groups.points[*point].group, params)
                                   : constantGrids(params, block);
      inputs.push_back(grids.scale);
      inputs.push_back(grids.zeroPoint);
      if (m_result.noise.valid()) inputs.push_back(m_result.noise);
    }
    addNode(TrainingQuantizer::kOperator, TrainingQuantizer::kDomain, TrainingQuantizer::kVersion,
            block, std::move(inputs), to, quantizer.attributes());
  }

  struct GridInputs {
    ValueId scale;
    ValueId zeroPoint;
  };

  GridInputs gridsOfGroup(std::size_t group, const QuantParams& params) {
    const auto known = std::ranges::find(m_result.ranges, group, &TrainingGraph::Range::group);
    if (known != m_result.ranges.end()) return {known->scale, known->zeroPoint};
    const Shape shape{static_cast<std::int64_t>(params.grids.size())};
    const std::string name = "group" + std::to_string(group);
    m_result.ranges.push_back({group, addInput(name + ".scale", ElementType::Float32, shape),
                               addInput(name + ".zero_point", ElementType::Float32, shape)});
    return {m_result.ranges.back().scale, m_result.ranges.back().zeroPoint};
  }

  GridInputs constantGrids(const QuantParams& params, BlockId block) {
    Tensor scales(ElementType::Float32, Shape{static_cast<std::int64_t>(params.grids.size())});
    Tensor zeros(ElementType::Float32, scales.shape());
    for (std::size_t i = 0; i < params.grids.size(); ++i) {
      scales.mutableValues<float>()[i] = params.grids[i].scale;
      zeros.mutableValues<float>()[i] = static_cast<float>(params.grids[i].zeroPoint);
    }
    return {addConstant("fixed.scale", block, scales),
            addConstant("fixed.zero_point", block, zeros)};
  }

  void placeLayer(NodeId id) {
    for (std::size_t i = 0; i < m_layers.layers.size(); ++i) {
      const LinearLayer& layer = m_layers.layers[i];
      if (m_model.layers[layer.index].equalized) continue;
      if (layer.lead == id) {
        TrainingGraph::Layer& placed = layerOf(i);
        placed.weight = addInput(m_source[id].name + ".weight", ElementType::Float32,
                                 weightOf(*m_state.engine, layer).shape());
        setInput(id, layer.weightSlot, placed.weight);
      }
      if (layer.bias && layer.bias->node == id) {
        TrainingGraph::Layer& placed = layerOf(i);
        placed.bias = addInput(m_source[id].name + ".bias", ElementType::Float32, biasShape(layer));
        setInput(id, layer.bias->slot, placed.bias);
      }
    }
  }

  Shape biasShape(const LinearLayer& layer) const {
    const Node& holder = m_source[layer.bias->node];
    if (layer.bias->slot < holder.inputs.size() && holder.inputs[layer.bias->slot].valid()) {
      return m_state.engine->constant(holder.inputs[layer.bias->slot])->shape();
    }
    return Shape{static_cast<std::int64_t>(layer.outputs)};
  }

  TrainingGraph::Layer& layerOf(std::size_t index) {
    const auto known = std::ranges::find(m_result.layers, index, &TrainingGraph::Layer::index);
    if (known != m_result.layers.end()) return *known;
    m_result.layers.push_back({index, {}, {}});
    return m_result.layers.back();
  }

  // The producer of the value gets another output instead, which is not read.
  void startAt(ValueId value) {
    const NodeId producer = m_graph[value].producer;
    if (producer.valid()) {
      const ValueId unread = addValue("unread", Graph::mainBlock());
      for (ValueId& output : m_graph.mutableNode(producer).outputs) {
        if (output == value) output = unread;
      }
      m_graph.mutableValue(unread).producer = producer;
    }
    m_graph.mutableValue(value).producer = {};
  }

  void setInputs() {
    std::vector<ValueId>& inputs = m_graph.mutableBlock(Graph::mainBlock()).inputs;
    inputs = m_result.inputs;
    inputs.insert(inputs.end(), m_parameters.begin(), m_parameters.end());
  }

  const RepairState& m_state;
  const QuantizedModel& m_model;
  const Graph& m_source;
  const LinearLayers& m_layers;
  const NetworkBlock* m_block;
  const TrainingGraphOptions& m_options;
  Graph m_graph;
  UniqueNames m_names;
  std::vector<char> m_learnable;    // by group
  std::vector<char> m_unquantized;  // by node
  std::vector<char> m_inside;       // by node
  std::map<ValueId, std::size_t> m_outputPoint;
  std::map<std::pair<NodeId, std::size_t>, std::size_t> m_edgePoint;
  std::vector<ValueId> m_parameters;
  TrainingGraph m_result;
};

}  // namespace

std::vector<char> learnableGroups(const QuantizedModel& model) {
  std::vector<char> learnable(model.groups.members.size());
  for (std::size_t group = 0; group < learnable.size(); ++group) {
    const std::optional<QuantParams>& params = model.groupParams[group];
    const auto isFixed = [&](std::size_t point) {
      return model.groups.points[point].fixed.has_value();
    };
    learnable[group] =
        isStaticInteger(params) && std::ranges::none_of(model.groups.members[group], isFixed);
  }
  return learnable;
}

TrainingGraph makeTrainingGraph(const RepairState& state, const LinearLayers& layers,
                                const NetworkBlock* block, const TrainingGraphOptions& options,
                                const Workers& workers) {
  return Builder(state, layers, block, options).build(workers);
}

}  // namespace quantscope
