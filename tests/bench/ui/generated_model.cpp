#include "bench/ui/generated_model.h"

#include "support/onnx_bytes.h"

namespace quantscope::bench {
namespace {

using test::OnnxGraph;

constexpr std::size_t kBranches = 3;

class Generator {
 public:
  explicit Generator(std::size_t nodes) : m_nodes(nodes) {
    m_graph.inputs = {"input"};
    m_graph.outputs = {"output"};
  }

  OnnxGraph generate() {
    std::string last = "input";
    while (m_graph.nodes.size() + kBranches * 6 + 2 < m_nodes) last = block(last);
    while (m_graph.nodes.size() + 1 < m_nodes) last = add("Relu", {last});
    m_graph.nodes.push_back({.op = "Relu",
                             .inputs = {last},
                             .outputs = {"output"},
                             .name = "last",
                             .attributes = {},
                             .domain = {}});
    return std::move(m_graph);
  }

 private:
  // Branches of different length between one value and its sum with them.
  std::string block(const std::string& from) {
    std::string sum = from;
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      std::string end = from;
      const std::size_t length = 1 + (m_blocks + branch) % 4;
      for (std::size_t i = 0; i < length; ++i) end = add(i % 2 == 0 ? "Sigmoid" : "Tanh", {end});
      sum = add("Add", {sum, end});
    }
    ++m_blocks;
    return add("Relu", {sum});
  }

  std::string add(const std::string& op, const std::vector<std::string>& inputs) {
    const std::string name = op + "_" + std::to_string(m_graph.nodes.size());
    m_graph.nodes.push_back({.op = op,
                             .inputs = inputs,
                             .outputs = {name + "_out"},
                             .name = name,
                             .attributes = {},
                             .domain = {}});
    return name + "_out";
  }

  std::size_t m_nodes;
  std::size_t m_blocks = 0;
  OnnxGraph m_graph;
};

}  // namespace

std::string generatedModel(std::size_t nodes) {
  return test::onnxModel(Generator(nodes).generate());
}

}  // namespace quantscope::bench
