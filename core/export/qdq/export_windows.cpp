#include "export/qdq/export_windows.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace quantscope {
namespace {

constexpr double kLevels = 127;

class WindowCutter {
 public:
  WindowCutter(const Engine& engine, const QuantizedModel& model,
               const std::vector<ValueId>& readAs, std::size_t nodes)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_model(model),
        m_readAs(readAs),
        m_least(nodes),
        m_outputs(m_graph.outputs().begin(), m_graph.outputs().end()) {}

  std::vector<ExportWindow> cut() {
    for (const LayerQuantization& layer : m_model.layers) {
      const std::vector<NodeId>& members = layer.layer.members;
      if (m_graph[members.front()].block != Graph::mainBlock()) continue;
      if (!std::ranges::all_of(members, [&](NodeId id) { return runsAlone(id); })) {
        close();
        continue;
      }
      m_nodes.insert(m_nodes.end(), members.begin(), members.end());
      if (m_nodes.size() >= m_least) close();
    }
    close();
    return std::move(m_windows);
  }

 private:
  bool runsAlone(NodeId id) const { return m_graph[id].bodies.empty() && m_engine.executable(id); }

  void close() {
    const std::vector<NodeId> nodes = std::exchange(m_nodes, {});
    if (nodes.empty()) return;
    const std::set<NodeId> inside(nodes.begin(), nodes.end());
    ExportWindow window{m_graph[nodes.front()].name, {}, {}};
    std::set<ValueId> seen;
    for (const NodeId id : nodes) {
      for (const ValueId input : m_graph[id].inputs) {
        if (!input.valid() || m_engine.constant(input) != nullptr) continue;
        const NodeId producer = m_graph[input].producer;
        const bool isInside = producer.valid() && inside.contains(producer);
        if (!isInside && seen.insert(input).second) window.inputs.push_back(input);
      }
      for (const ValueId output : m_graph[id].outputs) {
        if (leaves(output, inside)) window.outputs.push_back(output);
      }
    }
    if (!window.outputs.empty()) m_windows.push_back(std::move(window));
  }

  bool leaves(ValueId id, const std::set<NodeId>& inside) const {
    if (!id.valid() || m_engine.constant(id) != nullptr || !m_readAs[id.at()].valid()) return false;
    const Value& value = m_graph[id];
    if (value.type.element && !isFloat(*value.type.element)) return false;
    return m_outputs.contains(id) || std::ranges::any_of(value.consumers, [&](NodeId consumer) {
             return !inside.contains(consumer);
           });
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const QuantizedModel& m_model;
  const std::vector<ValueId>& m_readAs;
  std::size_t m_least;
  std::set<ValueId> m_outputs;
  std::vector<NodeId> m_nodes;  // of the window at hand
  std::vector<ExportWindow> m_windows;
};

double largestMagnitudeOf(const Tensor& tensor) {
  double largest = 0;
  for (const float x : toFloat32(tensor).values<float>()) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(double{x}));
  }
  return largest;
}

const QuantParams* outputGrid(const QuantizedModel& model, ValueId value) {
  for (const QuantizationPoint& point : model.groups.points) {
    if (!point.isOutput() || point.value != value) continue;
    const std::optional<QuantParams>& params = model.groupParams[point.group];
    return params ? &*params : nullptr;
  }
  return nullptr;
}

}  // namespace

std::vector<ExportWindow> cutIntoWindows(const Engine& engine, const QuantizedModel& model,
                                         const std::vector<ValueId>& readAs, std::size_t nodes) {
  return WindowCutter(engine, model, readAs, nodes).cut();
}

StepSize::StepSize(const QuantizedModel& model, ValueId value, const Tensor& simulated) {
  const QuantParams* params = outputGrid(model, value);
  if (params != nullptr && isFloatFormat(params->type)) {
    m_relative = std::ldexp(1.0, -mantissaBits(params->type));
  } else if (params != nullptr && !params->grids.empty()) {
    for (const Grid& grid : params->grids) m_step = std::max(m_step, double{grid.scale});
    return;
  }
  m_step = largestMagnitudeOf(simulated) / kLevels;
}

double StepSize::at(double number) const {
  return m_relative > 0 ? std::max(std::abs(number) * m_relative, m_step / kLevels) : m_step;
}

}  // namespace quantscope
