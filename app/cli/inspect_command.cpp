#include <CLI/CLI.hpp>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "data_options.h"
#include "graph/parameters.h"
#include "jobs/load_model.h"
#include "onnx/operator_versions.h"

namespace quantscope::cli {
namespace {

using Json = nlohmann::ordered_json;

Json describeValue(const Graph& graph, ValueId id) {
  const Value& value = graph[id];
  Json json;
  json["name"] = value.name;
  json["dtype"] = value.type.element ? Json(name(*value.type.element)) : Json(nullptr);
  if (!value.type.shape) {
    json["shape"] = nullptr;
    return json;
  }
  Json& shape = json["shape"] = Json::array();
  for (const Dimension& dimension : *value.type.shape) {
    if (dimension.known()) {
      shape.push_back(dimension.extent);
    } else {
      shape.push_back(dimension.symbol.empty() ? Json(nullptr) : Json(dimension.symbol));
    }
  }
  return json;
}

std::int64_t elementsOf(const Graph& graph, ValueId value) {
  const Tensor* constant = graph.constant(value);
  return constant == nullptr ? 0 : static_cast<std::int64_t>(constant->elementCount());
}

/// `parameters` here and below: see findParameters().
std::int64_t parametersOf(const Graph& graph, const std::vector<bool>& parameters,
                          const Node& node) {
  std::set<ValueId> read;
  for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
    const ValueId input = node.inputs[slot];
    if (input.valid() && parameters[input.at()] && !isSetting(node, slot)) read.insert(input);
  }
  std::int64_t count = 0;
  for (const ValueId value : read) count += elementsOf(graph, value);
  return count;
}

std::int64_t allParameters(const Graph& graph, const std::vector<bool>& parameters) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i]) count += elementsOf(graph, ValueId(i));
  }
  return count;
}

Json namesOf(const Graph& graph, const std::vector<ValueId>& values) {
  Json names = Json::array();
  for (const ValueId value : values) {
    names.push_back(value.valid() ? Json(graph[value].name) : Json(nullptr));
  }
  return names;
}

Json describeNodes(const Graph& graph, const std::vector<bool>& parameters) {
  Json nodes = Json::array();
  for (const Node& node : graph.nodes()) {
    nodes.push_back({{"name", node.name},
                     {"op", node.op},
                     {"domain", node.domain},
                     {"version", askedVersion(graph, node)},
                     {"scope", scopeOf(node.name)},
                     {"inputs", namesOf(graph, node.inputs)},
                     {"outputs", namesOf(graph, node.outputs)},
                     {"params", parametersOf(graph, parameters, node)}});
  }
  return nodes;
}

std::map<std::string, std::size_t> operatorCounts(const Graph& graph) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : graph.nodes()) {
    ++counts[node.domain.empty() ? node.op : node.domain + "." + node.op];
  }
  return counts;
}

std::map<std::string, std::size_t> scopeCounts(const Graph& graph) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : graph.nodes()) ++counts[scopeOf(node.name)];
  return counts;
}

Json describeNotComputed(const LoadedModel& model) {
  Json list = Json::array();
  for (const NotExecutable& entry : model.engine->notExecutable()) {
    const Node& node = (*model.graph)[entry.node];
    list.push_back({{"node", node.name},
                    {"operator", node.op},
                    {"domain", node.domain},
                    {"version", askedVersion(*model.graph, node)},
                    {"reason", entry.reason}});
  }
  return list;
}

Json inspectionJson(const LoadedModel& model) {
  const Graph& graph = *model.graph;
  const std::vector<bool> parameters = findParameters(graph);
  Json json;
  json["quantscope"] = 1;
  json["model"] = model.file.filename().string();
  json["producer"] = graph.producerName;
  json["ir_version"] = graph.irVersion;
  for (const auto& [domain, version] : graph.opsets) {
    json["opsets"][domain.empty() ? "ai.onnx" : domain] = version;
  }
  const auto values = [&](std::span<const ValueId> ids) {
    Json list = Json::array();
    for (const ValueId id : ids) list.push_back(describeValue(graph, id));
    return list;
  };
  json["params"] = allParameters(graph, parameters);
  json["inputs"] = values(graph.inputs());
  json["outputs"] = values(graph.outputs());
  json["operators"] = operatorCounts(graph);
  json["scopes"] = scopeCounts(graph);
  json["nodes"] = describeNodes(graph, parameters);
  Json& all = json["values"] = Json::array();
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    Json value = describeValue(graph, ValueId(i));
    value["constant"] = graph.values()[i].constant.defined();
    all.push_back(std::move(value));
  }
  json["not_computed"] = describeNotComputed(model);
  return json;
}

void printValues(std::ostream& out, const Graph& graph, const char* title,
                 std::span<const ValueId> ids) {
  for (const ValueId id : ids) {
    const Value& value = graph[id];
    out << title << value.name << "  "
        << (value.type.element ? name(*value.type.element) : std::string_view("?")) << ' '
        << toString(value.type.shape) << '\n';
  }
}

void printNodes(std::ostream& out, const Graph& graph, const std::vector<bool>& parameters) {
  out << "\nnodes in execution order\n";
  for (const Block& block : graph.blocks()) {
    for (const NodeId id : block.nodes) {
      const Node& node = graph[id];
      out << "  " << std::left << std::setw(22) << node.op << node.name;
      if (!node.outputs.empty() && node.outputs[0].valid()) {
        out << "  " << toString(graph[node.outputs[0]].type.shape);
      }
      const std::int64_t count = parametersOf(graph, parameters, node);
      if (count > 0) out << "  " << count << " parameters";
      out << '\n';
    }
  }
}

std::string inspectionText(const LoadedModel& model) {
  std::ostringstream out;
  const Graph& graph = *model.graph;
  out << model.file.filename().string() << '\n';
  for (const auto& [domain, version] : graph.opsets) {
    out << "opset      " << (domain.empty() ? "ai.onnx" : domain) << ' ' << version << '\n';
  }
  if (!graph.producerName.empty()) out << "producer   " << graph.producerName << '\n';
  printValues(out, graph, "input      ", graph.inputs());
  printValues(out, graph, "output     ", graph.outputs());
  const std::vector<bool> parameters = findParameters(graph);
  out << "nodes      " << graph.nodes().size() << "\nparameters "
      << allParameters(graph, parameters) << "\nscopes     " << scopeCounts(graph).size()
      << "\n\noperators\n";
  for (const auto& [op, count] : operatorCounts(graph)) {
    out << "  " << std::left << std::setw(22) << op << count << '\n';
  }
  printNodes(out, graph, parameters);
  const auto& missing = model.engine->notExecutable();
  out << (missing.empty() ? "\nevery node can be computed\n" : "\ncannot be computed\n");
  for (const NotExecutable& entry : missing) {
    const Node& node = graph[entry.node];
    out << "  " << node.name << "  " << (node.domain.empty() ? "" : node.domain + ".") << node.op
        << " version " << askedVersion(graph, node) << ": " << entry.reason << '\n';
  }
  return out.str();
}

}  // namespace

void addInspect(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Show a model's nodes, operators, values, parameters and what cannot be computed");
  auto file = std::make_shared<std::string>();
  addModel(*command, *file);
  bindCommand(*command, selection, [&selection, file](JobContext& job) {
    const LoadedModel model = loadModel(*file, job);
    return selection.common.json ? deliverJson(inspectionJson(model), *selection.common.json)
                                 : inspectionText(model);
  });
}

}  // namespace quantscope::cli
