#include "precision/quantized_case.h"

#include "calibration/calibrate.h"
#include "engine/execution.h"
#include "support/graph_text.h"
#include "support/memory_source.h"

namespace quantscope::test {

QuantizedCase::QuantizedCase(const char* text, std::vector<Tensor> samples,
                             const std::string& configJson)
    : graph(graphFromText(text)), engine(graph, workers), feeds(std::move(samples)) {
  if (!configJson.empty()) config = parseConfiguration(configJson, "config");
  MemorySource source(graph->inputs()[0], feeds);
  JobContext job(workers);
  observations = calibrate(engine, source, {}, job);
  model = quantizeModel(engine, config, observations);
}

std::vector<float> QuantizedCase::run(const char* value, std::size_t index) const {
  const Plan plan = planForAllValues(engine);
  const std::vector<std::pair<ValueId, Tensor>> given{{graph->inputs()[0], feeds[index]}};
  Execution execution(plan, given, &model.applied);
  const ValueId wanted = graph->findValue(value);
  std::vector<float> result;
  while (!execution.finished()) {
    execution.step();
    const Tensor tensor = execution.value(wanted);
    if (tensor.defined())
      result.assign(tensor.values<float>().begin(), tensor.values<float>().end());
  }
  return result;
}

QString number(double value) {
  return QString::number(value, 'g', 5);
}

QString gridText(const QuantParams& params) {
  if (params.dynamic) return "dynamic";
  QStringList grids;
  for (const Grid& grid : params.grids) {
    grids << number(grid.scale) +
                 (grid.zeroPoint == 0 ? "" : "@" + QString::number(grid.zeroPoint));
  }
  return QString::fromStdString(std::string(name(params.type))) + " " + grids.join(",");
}

QStringList describe(const QuantizedCase& testCase) {
  QStringList lines;
  for (const LayerQuantization& layer : testCase.model.layers) {
    QStringList names;
    QStringList parts;
    for (const NodeId id : layer.layer.members) {
      names << QString::fromStdString((*testCase.graph)[id].name);
      const NodeQuantization& applied = testCase.model.applied[id];
      if (applied.bypassed) parts << names.back() + " folded";
      for (const auto& [index, params] : applied.inputs) {
        parts << QString("in%1 ").arg(index) + gridText(params);
      }
      for (const auto& [index, tensor] : applied.constants) parts << QString("const%1").arg(index);
      for (const auto& [index, params] : applied.outputs) parts << "out " + gridText(params);
    }
    lines << names.join('+') + ": " + (parts.isEmpty() ? "float" : parts.join("; "));
  }
  return lines;
}

}  // namespace quantscope::test
