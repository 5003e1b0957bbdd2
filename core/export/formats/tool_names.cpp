#include "export/formats/tool_names.h"

#include "onnx/names.h"

namespace quantscope {
namespace {

const std::string& nameInFile(const Node& node) {
  return node.fileName ? *node.fileName : node.name;
}

}  // namespace

ToolNames::ToolNames(const FormatInput& input, FormatOutput& output)
    : m_graph(input.graph()), m_output(output) {
  for (const Node& node : m_graph.nodes()) ++m_count[nameInFile(node)];
}

std::optional<std::string> ToolNames::of(NodeId id) {
  const Node& node = m_graph[id];
  const std::string& name = nameInFile(node);
  const auto lose = [&](const char* what) {
    m_output.losses.push_back({node.name, what});
    return std::nullopt;
  };
  if (name.empty()) return lose("the file gives it no name, by which the tool could find it");
  if (m_count.at(name) > 1) return lose("the file has several nodes of its name: none is meant");
  if (printableName(name) != name) return lose("its name is no text that the target can hold");
  if (name != node.name) m_output.names[node.name] = name;
  return name;
}

}  // namespace quantscope
