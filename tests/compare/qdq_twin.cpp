#include "compare/qdq_twin.h"

#include <algorithm>

#include "graph/operator_traits.h"
#include "jobs/quantize_model.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"

namespace quantscope::test {
namespace {

QdqModel exported(SampleNetwork& network, const std::string& configJson) {
  const Configuration config =
      configJson.empty() ? Configuration() : parseConfiguration(configJson, "test");
  const CalibratedModel calibrated =
      calibrateAndQuantize(network.model, config, *network.data, 1, network.job);
  return buildQdqModel(*network.model.engine, calibrated.model);
}

}  // namespace

QdqTwin::QdqTwin(const std::string& name, const std::string& configJson)
    : network(name, 2, 8), qdq(exported(network, configJson)) {}

std::vector<NodeId> QdqTwin::products() const {
  std::vector<NodeId> found;
  const Graph& graph = qdq.draft.graph;
  for (const NodeId id : graph.main().nodes) {
    const bool product = operatorTraits(graph[id]).weightUse == WeightUse::Product;
    if (product && weightDequantizer(id).valid()) found.push_back(id);
  }
  return found;
}

NodeId QdqTwin::weightDequantizer(NodeId product) const {
  const Graph& graph = qdq.draft.graph;
  if (graph[product].inputs.size() < 2) return {};
  const NodeId producer = graph[graph[product].inputs[1]].producer;
  if (!producer.valid() || graph[producer].op != "DequantizeLinear") return {};
  return graph.constant(graph[producer].inputs[0]) == nullptr ? NodeId() : producer;
}

NodeId QdqTwin::outputDequantizer(NodeId node) const {
  const Graph& graph = qdq.draft.graph;
  std::vector<ValueId> open{graph[node].outputs[0]};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    for (const NodeId reader : graph[value].consumers) {
      if (graph[reader].op == "DequantizeLinear") return reader;
      // Over what is fused with the node and what makes the codes.
      const bool passes = graph[reader].op == "QuantizeLinear" || graph[reader].op == "Clip" ||
                          graph[reader].op == "Relu" ||
                          (graph[reader].op == "Add" && graph[node].op == "MatMul");
      if (passes) open.push_back(graph[reader].outputs[0]);
    }
  }
  return {};
}

Tensor& QdqTwin::ownConstant(NodeId node, std::size_t input) {
  const ValueId shared = graph()[node].inputs[input];
  Value copy = graph()[shared];
  copy.name += "_of_" + std::to_string(node.at());
  const Tensor old = copy.constant;
  copy.constant = Tensor(old.type(), old.shape());
  std::copy_n(old.bytes(), old.byteSize(), copy.constant.mutableBytes());
  const ValueId own = graph().addValue(std::move(copy));
  const auto stored = qdq.draft.storedTypes.find(shared);
  if (stored != qdq.draft.storedTypes.end()) qdq.draft.storedTypes.emplace(own, stored->second);
  graph().mutableNode(node).inputs[input] = own;
  return graph().mutableValue(own).constant;
}

void QdqTwin::bypass(NodeId node) {
  const ValueId from = graph()[node].inputs[0];
  const ValueId gone = graph()[node].outputs[0];
  for (const NodeId reader : graph()[gone].consumers) {
    for (ValueId& input : graph().mutableNode(reader).inputs) {
      if (input == gone) input = from;
    }
  }
  std::erase(graph().mutableBlock(Graph::mainBlock()).nodes, node);
}

void QdqTwin::rename() {
  std::vector<ValueId> kept(graph().inputs().begin(), graph().inputs().end());
  kept.insert(kept.end(), graph().outputs().begin(), graph().outputs().end());
  for (std::size_t i = 0; i < graph().values().size(); ++i) {
    if (std::ranges::find(kept, ValueId(i)) != kept.end()) continue;
    graph().mutableValue(ValueId(i)).name = "v" + std::to_string(i * 7919 % 100003);
  }
  for (std::size_t i = 0; i < graph().nodes().size(); ++i) {
    graph().mutableNode(NodeId(i)).name = "n" + std::to_string(i * 7919 % 100003);
  }
}

std::shared_ptr<const Engine> QdqTwin::read() {
  return std::make_shared<Engine>(importModelBytes(modelBytes(qdq.draft)), network.workers);
}

}  // namespace quantscope::test
