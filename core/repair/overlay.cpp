#include "repair/overlay.h"

#include <algorithm>
#include <map>
#include <set>

#include "onnx/names.h"
#include "onnx/operator_versions.h"
#include "precision/parameters/encoding_of.h"
#include "tensor/tensor_id.h"

namespace quantscope {
namespace {

bool isOutput(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.blocks(), [&](const Block& block) {
    return std::ranges::find(block.outputs, value) != block.outputs.end();
  });
}

// The input that a constant takes the place of; none where the node has no such input.
ValueId replacedBy(const Graph& graph, const ChangedConstant& change) {
  const Node& node = graph[change.node];
  return change.input < node.inputs.size() ? node.inputs[change.input] : ValueId();
}

// The initializers that may be replaced in their place: all that reads them gets the same instead.
std::set<ValueId> replacedInPlace(const Graph& graph,
                                  const std::vector<ChangedConstant>& constants) {
  std::map<ValueId, std::vector<const ChangedConstant*>> changes;
  for (const ChangedConstant& change : constants) {
    const ValueId id = replacedBy(graph, change);
    if (id.valid() && std::ranges::count(graph[change.node].inputs, id) == 1) {
      changes[id].push_back(&change);
    }
  }
  std::set<ValueId> replaced;
  for (const auto& [id, own] : changes) {
    const Value& value = graph[id];
    std::set<NodeId> readers;
    for (const ChangedConstant* change : own) readers.insert(change->node);
    const bool same = std::ranges::all_of(own, [&](const ChangedConstant* change) {
      return identical(change->tensor, own.front()->tensor);
    });
    if (same && value.constant.defined() && !value.producer.valid() &&
        value.consumers.size() == readers.size() && !isOutput(graph, id)) {
      replaced.insert(id);
    }
  }
  return replaced;
}

// A node of a float16 model reads float16 only.
Tensor typedAs(const Value& other, const Tensor& tensor) {
  const std::optional<ElementType> type =
      other.constant.defined() ? other.constant.type() : other.type.element;
  const bool narrows = tensor.type() == ElementType::Float32 && type == ElementType::Float16;
  return narrows ? fromFloat32(tensor, *type) : tensor;
}

ValueType typeOf(const Tensor& tensor) {
  std::vector<Dimension> shape;
  for (const std::int64_t extent : tensor.shape().dimensions()) shape.push_back({extent, {}});
  return {tensor.type(), std::move(shape)};
}

// Before this version Add broadcasts only where an attribute says so.
constexpr int kOwnBroadcast = 7;

class Applier {
 public:
  explicit Applier(const Graph& graph) : m_graph(graph) {
    for (const Value& value : graph.values()) m_names.take(value.name);
    // A name of a constant must not read as that of a node's output.
    for (const Node& node : graph.nodes()) m_names.take(node.name);
  }

  std::shared_ptr<const Graph> apply(const Overlay& overlay) {
    m_inPlace = replacedInPlace(m_graph, overlay.constants);
    for (const ChangedConstant& change : overlay.constants) replace(change);
    for (const NodeId node : overlay.rectifiers) rectify(m_graph.mutableNode(node));
    for (const ChangedExtent& each : overlay.extents) widen(each);
    for (const InsertedOperator& each : overlay.inserted) insert(each);
    for (const InsertedBias& each : overlay.biases) insert(each);
    m_graph.finish();
    return std::make_shared<const Graph>(std::move(m_graph));
  }

 private:
  void replace(const ChangedConstant& change) {
    Node& node = m_graph.mutableNode(change.node);
    ValueId id = replacedBy(m_graph, change);
    // A bias that is new is what the weight is.
    const Tensor tensor = typedAs(m_graph[id.valid() ? id : node.inputs.at(1)], change.tensor);
    if (!m_inPlace.contains(id)) {
      Value value;
      value.name = m_names.takeLike(node.name + "." + change.suffix);
      value.block = node.block;
      id = m_graph.addValue(std::move(value));
      if (node.inputs.size() <= change.input) node.inputs.resize(change.input + 1);
      m_graph.mutableNode(change.node).inputs[change.input] = id;
    }
    Value& value = m_graph.mutableValue(id);
    value.constant = tensor;
    value.type = typeOf(tensor);
  }

  void widen(const ChangedExtent& change) {
    std::optional<std::vector<Dimension>>& shape = m_graph.mutableValue(change.value).type.shape;
    if (shape) shape->at(change.axis) = {change.extent, {}};
  }

  ValueId addConstant(const std::string& name, const Tensor& tensor, BlockId block) {
    Value constant;
    constant.name = m_names.takeLike(name);
    constant.block = block;
    constant.constant = tensor;
    constant.type = typeOf(tensor);
    return m_graph.addValue(std::move(constant));
  }

  void insert(const InsertedOperator& inserted) {
    const InputPlace& first = inserted.readers.front();
    const ValueId data = m_graph[first.node].inputs.at(first.slot);
    const BlockId block = m_graph[first.node].block;
    const std::string name = m_names.takeLike(inserted.name);
    const ValueId constant =
        addConstant(name + (inserted.axis ? ".channels" : ".factors"), inserted.constant, block);
    Value output;
    output.name = name;
    output.block = block;
    output.type = m_graph[data].type;
    if (output.type.shape && inserted.axis) {
      const auto count = static_cast<std::int64_t>(inserted.constant.elementCount());
      output.type.shape->at(static_cast<std::size_t>(*inserted.axis)) = {count, {}};
    }
    Node node;
    node.name = name;
    node.op = inserted.op;
    node.version = versionOf(node.op);
    node.block = block;
    node.inputs = {data, constant};
    node.outputs = {m_graph.addValue(std::move(output))};
    if (inserted.axis) node.attributes.push_back({"axis", std::int64_t{*inserted.axis}});
    for (const InputPlace& reader : inserted.readers) {
      m_graph.mutableNode(reader.node).inputs[reader.slot] = node.outputs[0];
    }
    m_graph.addNode(std::move(node));
  }

  void insert(const InsertedBias& inserted) {
    const std::string before = m_graph[inserted.product].name;
    const BlockId block = m_graph[inserted.product].block;
    const ValueId sum = m_graph[inserted.product].outputs.at(0);
    const ValueId weight = m_graph[inserted.product].inputs.at(1);
    Value product;
    product.name = m_names.takeLike(before + ".product");
    product.block = block;
    product.type = m_graph[sum].type;
    product.producer = inserted.product;
    Node node;
    node.name = m_names.takeLike(before + ".add");
    node.op = "Add";
    node.version = versionOf(node.op);
    node.block = block;
    node.inputs = {m_graph.addValue(std::move(product)),
                   addConstant(before + ".bias", typedAs(m_graph[weight], inserted.bias), block)};
    node.outputs = {sum};
    if (node.version < kOwnBroadcast) node.attributes.push_back({"broadcast", std::int64_t{1}});
    m_graph.mutableNode(inserted.product).outputs[0] = node.inputs[0];
    const NodeId id = m_graph.addNode(std::move(node));
    // It runs right behind the product, so that layers keep their order.
    std::vector<NodeId>& order = m_graph.mutableBlock(block).nodes;
    std::erase(order, id);
    order.insert(std::ranges::find(order, inserted.product) + 1, id);
  }

  int versionOf(std::string_view op) const {
    const auto own =
        std::ranges::find(m_graph.opsets, std::string(), &std::pair<std::string, int>::first);
    return operatorVersion({}, op, own == m_graph.opsets.end() ? 1 : own->second);
  }

  void rectify(Node& node) const {
    node.op = "Relu";
    node.version = versionOf(node.op);
    node.inputs.resize(1);
    node.attributes.clear();
  }

  Graph m_graph;
  UniqueNames m_names;
  std::set<ValueId> m_inPlace;
};

void observe(const ObserverSpec& observer, NodePrecision& precision) {
  for (TensorPrecision* tensor : {&precision.activation, &precision.output}) {
    if (tensor->observer.kind != ObserverSpec::Kind::MinMax || tensor->dynamic || tensor->range) {
      continue;
    }
    if (isInteger(tensor->type)) tensor->observer = observer;
  }
}

void observe(const ObserverSpec& observer, PrecisionConfig& config) {
  observe(observer, config.defaults);
  for (auto& [type, precision] : config.opTypes) observe(observer, precision);
  for (PatternPrecision& pattern : config.patterns) observe(observer, pattern.use);
  for (auto& [node, precision] : config.nodes) observe(observer, precision);
}

// What the product made is made by its Add now.
void renameProducer(const Graph& graph, NodeId product, Encodings& encodings, HandSharing& groups) {
  const auto rename = [&](PointName& point) { point = namedByBias(graph, product, point); };
  for (auto& [point, encoding] : encodings.entries) rename(point);
  for (std::vector<PointName>& points : groups.join) std::ranges::for_each(points, rename);
  std::ranges::for_each(groups.part, rename);
}

}  // namespace

PointName namedByBias(const Graph& graph, NodeId product, PointName point) {
  if (point.producer != graph[product].name) return point;
  const NodeId addition = graph[graph[product].outputs.at(0)].consumers.at(0);
  point.producer = graph[addition].name;
  return point;
}

std::size_t changedNodes(const Overlay& overlay) {
  std::set<NodeId> changed;
  for (const ChangedConstant& change : overlay.constants) changed.insert(change.node);
  return changed.size();
}

std::shared_ptr<const Graph> applyOverlay(const Graph& graph, const Overlay& overlay) {
  return Applier(graph).apply(overlay);
}

std::shared_ptr<const Engine> applyOverlay(const Engine& engine, const Overlay& overlay,
                                           const Workers& workers) {
  ContentHasher hasher;
  hasher.add("overlay").add(engine.content());
  for (const ChangedConstant& change : overlay.constants) {
    hasher.add(std::uint64_t{change.node.at()}).add(std::uint64_t{change.input});
    hasher.add(contentId(change.tensor));
  }
  hasher.add("rectifiers");
  for (const NodeId node : overlay.rectifiers) hasher.add(std::uint64_t{node.at()});
  hasher.add("inserted");
  for (const InsertedOperator& each : overlay.inserted) {
    hasher.add(each.op).add(std::uint64_t{each.readers.size()});
    for (const InputPlace& reader : each.readers) {
      hasher.add(std::uint64_t{reader.node.at()}).add(std::uint64_t{reader.slot});
    }
    hasher.add(contentId(each.constant)).add(static_cast<std::uint64_t>(each.axis.value_or(-1)));
  }
  hasher.add("biases");
  for (const InsertedBias& each : overlay.biases) {
    hasher.add(std::uint64_t{each.product.at()}).add(contentId(each.bias));
  }
  return std::make_shared<const Engine>(applyOverlay(engine.graph(), overlay), workers,
                                        hasher.id());
}

Configuration withOverlay(const Configuration& config, const Graph& graph, const Overlay& overlay) {
  const auto nameOf = [&](NodeId node, std::size_t input) {
    return PointName{producerName(graph, graph[node].inputs.at(input)), {}};
  };
  Encodings encodings = *config.encodings;
  // A weight may have its grid under its own name, or at the edge to the node.
  const auto forgetWeight = [&](NodeId node, std::size_t input) {
    const PointName name = nameOf(node, input);
    std::erase_if(encodings.entries, [&](const auto& entry) {
      const PointName& point = entry.first;
      return point.producer == name.producer &&
             (point.isOutput() || point.consumer == graph[node].name);
    });
  };
  // What shares a value's grid has none of its own.
  const std::vector<PointName>& parted = config.precision->groups.part;
  const auto forgetPoint = [&](const PointName& name) {
    std::erase_if(encodings.entries, [&](const auto& entry) {
      const PointName& point = entry.first;
      const bool follows = name.isOutput() && point.producer == name.producer &&
                           std::ranges::find(parted, point) == parted.end();
      return point == name || follows;
    });
  };
  for (const ChangedConstant& change : overlay.constants) forgetWeight(change.node, change.input);
  for (const FixedGrid& grid : overlay.grids) {
    forgetWeight(grid.node, grid.input);
    encodings.entries.emplace_back(nameOf(grid.node, grid.input), encodingOf(grid.params));
  }
  std::erase_if(encodings.entries, [&](const auto& entry) {
    return std::ranges::find(overlay.forgotten, entry.first) != overlay.forgotten.end();
  });
  for (const FixedPoint& each : overlay.points) {
    forgetPoint(each.point);
    encodings.entries.emplace_back(each.point, encodingOf(each.params));
  }
  Configuration result = config;
  HandSharing groups = config.precision->groups;
  for (const InsertedBias& each : overlay.biases) {
    renameProducer(graph, each.product, encodings, groups);
  }
  if (groups != config.precision->groups) {
    result.precision.edit([&](PrecisionConfig& precision) { precision.groups = groups; });
  }
  if (encodings != *config.encodings) result.encodings = SharedPart<Encodings>(encodings);
  for (const InsertedOperator& each : overlay.inserted) {
    if (!each.inFloat) continue;
    const InputPlace& reader = each.readers.front();
    const std::string node = nameOf(reader.node, reader.slot).producer;
    NodePrecision inFloat = defaultPrecision();
    inFloat.float32 = true;
    result.precision.edit(
        [&](PrecisionConfig& precision) { precision.nodes.emplace_back(node, inFloat); });
  }
  if (!overlay.observer) return result;
  result.precision.edit([&](PrecisionConfig& precision) { observe(*overlay.observer, precision); });
  return result;
}

}  // namespace quantscope
