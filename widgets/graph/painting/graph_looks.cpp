#include "widgets/graph/painting/graph_looks.h"

#include <string_view>

#include "widgets/look/text.h"
#include "widgets/view/layer_quantization.h"

namespace quantscope {
namespace {

// The worst figure there is. Where there is none, one that was not computed may have been bad.
Figure worstOf(const std::vector<std::size_t>& layers, const std::vector<Figure>& figures,
               const ErrorScale& scale) {
  Figure worst;
  worst.kind = Figure::Kind::NotQuantized;
  for (const std::size_t layer : layers) {
    const Figure& figure = figures[layer];
    const bool first = worst.kind != Figure::Kind::Value;
    if (figure.kind == Figure::Kind::NotComputed && first) worst.kind = figure.kind;
    if (figure.kind != Figure::Kind::Value) continue;
    if (first || scale.heat(figure.value) > scale.heat(worst.value)) worst = figure;
  }
  return worst;
}

bool isOverridden(const AnalysisSnapshot& snapshot, std::size_t layer) {
  const LayerQuantization* quantization = quantizationOf(snapshot, layer);
  return quantization != nullptr && quantization->rule.kind == PrecisionRule::Kind::Node;
}

BoxLook lookOf(const DrawnBox& box, const AnalysisSnapshot& snapshot,
               const std::vector<Figure>& figures, const ErrorScale& scale, const Theme& theme) {
  BoxLook look{.figure = {}, .fill = theme.raised, .ink = theme.text, .precision = {}};
  if (box.layers.empty()) return look;
  look.figure = worstOf(box.layers, figures, scale);
  if (look.figure->kind == Figure::Kind::Value) {
    look.position = scale.position(look.figure->value);
    look.fill = scale.colourAt(look.position);
    look.ink = ErrorScale::textOn(look.fill);
  }
  if (box.kind == DrawnBox::Kind::Layer) {
    look.precision = precisionOf(snapshot.result->layers[box.layers.front()]);
    look.overridden = isOverridden(snapshot, box.layers.front());
  }
  return look;
}

}  // namespace

GraphLooksPtr makeLooks(const GraphScene& scene, const AnalysisSnapshot& snapshot,
                        const LayerFindings& findings, const DisplayOptions& options,
                        const Theme& theme, const QFont& font) {
  const AnalysisResult& result = *snapshot.result;
  auto looks = std::make_shared<GraphLooks>();
  looks->theme = theme;
  looks->font = font;
  looks->unit = unitOf(options.metric());
  const std::vector<Figure> figures = options.figures(result);
  const ErrorScale scale = options.scale(result);
  looks->differences = scale.showsDifferences();
  looks->boxes.reserve(scene.boxes().size());
  for (const DrawnBox& box : scene.boxes()) {
    looks->boxes.push_back(lookOf(box, snapshot, figures, scale, theme));
    looks->boxes.back().findings = findings.sum(box.layers);
  }
  return looks;
}

QuantType precisionOf(const LayerResult& layer) {
  for (const std::optional<AppliedType>* applied :
       {&layer.weight, &layer.activation, &layer.output}) {
    if (*applied) return (*applied)->type;
  }
  return QuantType::Float32;
}

QColor mixed(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](int from, int to) {
    return static_cast<int>(from + (to - from) * share + 0.5);
  };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

QString unitOf(const MetricDescription& metric) {
  const std::string_view unit = metric.unit;
  return unit.starts_with("value") ? QString() : text(unit);
}

}  // namespace quantscope
