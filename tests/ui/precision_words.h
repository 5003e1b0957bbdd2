#pragma once

#include "ui/workbench.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/look/text.h"

namespace quantscope::test {

inline QString inspected(const Workbench& bench, const char* section) {
  return bench.view<InspectorView>()
      .findChild<InspectorSection*>(QString::fromLatin1(section))
      ->asText();
}

inline const PrecisionConfig& config(const Workbench& bench) {
  return *bench.window->session().request().config.precision;
}

inline QString opOf(const Workbench& bench, std::size_t layer) {
  return text(bench->session().precision().choices()->operatorOf(layer));
}

/// Those with one of the operators.
inline std::vector<NodeId> nodesOf(const Workbench& bench, const QStringList& operators) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    if (operators.contains(opOf(bench, i))) nodes.push_back(bench.layer(i).node);
  }
  return nodes;
}

inline void useBackend(const Workbench& bench, const char* backend) {
  Configuration config = bench->session().request().config;
  config.precision.edit([&](PrecisionConfig& precision) { precision.backend = backend; });
  bench->session().setConfig(config, QString::fromLatin1(backend));
  bench.waitForEnd();
}

/// Of every layer and of the outputs, in all digits.
inline QStringList figures(const Workbench& bench) {
  QStringList lines;
  const auto sqnr = [](const std::optional<LayerError>& error) {
    return error && error->total.sqnrDb ? QString::number(*error->total.sqnrDb, 'g', 17)
                                        : QStringLiteral("-");
  };
  const AnalysisResult& result = *bench->session().snapshot()->result;
  for (const LayerResult& layer : result.layers) {
    lines << text(layer.name) + u' ' + sqnr(layer.local) + u' ' + sqnr(layer.accumulated);
  }
  for (const OutputResult& output : result.outputs) {
    lines << QString::number(output.error.sqnrDb.value(), 'g', 17);
  }
  return lines << QString::number(result.summary.quantizedBytes);
}

inline std::vector<std::size_t> quantizedLayers(const Workbench& bench) {
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < bench.layerCount(); ++i) {
    if (bench.layer(i).weight) layers.push_back(i);
  }
  return layers;
}

}  // namespace quantscope::test
