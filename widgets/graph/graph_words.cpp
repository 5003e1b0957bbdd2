#include "widgets/graph/graph_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <limits>

#include "base/number_text.h"
#include "export/layer_words.h"
#include "widgets/graph/painting/graph_looks.h"
#include "widgets/look/text.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/layer_quantization.h"
#include "widgets/words/attribution.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/group_words.h"

namespace quantscope {
namespace {

constexpr std::size_t kMostValues = 4;

QString graphText(const char* words) {
  return QCoreApplication::translate("GraphWords", words);
}

QString row(const QString& name, const QString& words) {
  if (words.isEmpty()) return {};
  return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>")
      .arg(name, words.toHtmlEscaped());
}

QString page(const QString& title, const QString& rows) {
  return QStringLiteral("<b>%1</b><table>%2</table>").arg(title.toHtmlEscaped(), rows);
}

QString figureWords(const Figure& figure, const MetricDescription& metric) {
  if (figure.kind != Figure::Kind::Value) return absenceText(figure.kind);
  return text(metric.title) + u' ' + withUnit(figure.value, unitOf(metric));
}

// The figure of one kind of error, whichever is chosen.
Figure errorFigure(const LayerResult& layer, ErrorKind kind, const DisplayOptions& options) {
  const std::optional<LayerError>& error = errorOf(layer, kind);
  const std::optional<double> value =
      error ? error->total.*(options.metric().figure) : std::optional<double>();
  return value ? Figure{Figure::Kind::Value, *value} : Figure{absenceOf(layer, kind), 0};
}

// "SQNR 42.2 dB", and where B has another one "SQNR 42.2 dB, B 40.1 dB".
QString errorWords(const LayerResult& layer, ErrorKind kind, const DisplayOptions& options) {
  const Figure figure = errorFigure(layer, kind, options);
  const QString words = figureWords(figure, options.metric());
  const LayerResult* other = options.otherOf(layer);
  if (other == nullptr) return words;
  const Figure before = errorFigure(*other, kind, options);
  if (before.kind != Figure::Kind::Value || before == figure) return words;
  return graphText("%1, B %2").arg(words, withUnit(before.value, unitOf(options.metric())));
}

// What a precision that is not the default's comes from.
QString ruleRow(const AnalysisSnapshot& snapshot, std::size_t layer) {
  const LayerQuantization* quantization = quantizationOf(snapshot, layer);
  if (quantization == nullptr || quantization->dataMover) return {};
  if (quantization->rule.kind == PrecisionRule::Kind::Default) return {};
  return row(graphText("Precision"),
             ruleWords(*snapshot.request.config.precision, quantization->rule));
}

QString countWords(const FindingSum& findings) {
  if (findings.count == 0) return {};
  return graphText("%1, worst: %2").arg(text(grouped(findings.count)), wordOf(findings.worst));
}

// "inherited: the error comes in with …"
QString attributionWords(const AnalysisSnapshot& snapshot, std::size_t layer) {
  const AnalysisResult& result = *snapshot.result;
  const auto error = attribute(snapshot.graph(), result, LayerIndex(result), layer);
  return error ? attributionTitle(error->kind) + QStringLiteral(". ") + attributionSentence(*error)
               : QString();
}

QString layerWords(const AnalysisSnapshot& snapshot, std::size_t index,
                   const DisplayOptions& options, const FindingSum& findings) {
  const LayerResult& layer = snapshot.result->layers[index];
  return page(
      text(layer.name),
      row(graphText("Operators"), text(layerOps(layer))) +
          row(graphText("Weights"), text(typeWords(layer.weight))) +
          row(graphText("Inputs"), text(typeWords(layer.activation))) +
          row(graphText("Output"), text(typeWords(layer.output))) + ruleRow(snapshot, index) +
          row(titleOf(ErrorKind::Local), errorWords(layer, ErrorKind::Local, options)) +
          row(titleOf(ErrorKind::Accumulated), errorWords(layer, ErrorKind::Accumulated, options)) +
          (layer.contribution ? row(titleOf(ErrorKind::Contribution),
                                    errorWords(layer, ErrorKind::Contribution, options))
                              : QString()) +
          row(graphText("It is"), attributionWords(snapshot, index)) +
          row(graphText("Findings"), countWords(findings)));
}

// Describes several layers: their number, and the worst one.
QString groupWords(const DrawnBox& box, const AnalysisSnapshot& snapshot,
                   const DisplayOptions& options, const FindingSum& findings) {
  const std::vector<LayerResult>& layers = snapshot.result->layers;
  const ErrorScale scale = options.scale(*snapshot.result);
  const LayerResult* worst = nullptr;
  double hottest = -std::numeric_limits<double>::infinity();
  std::size_t quantized = 0;
  for (const std::size_t i : box.layers) {
    if (layers[i].quantized) ++quantized;
    const Figure figure = options.figureOf(layers[i]);
    if (figure.kind != Figure::Kind::Value || scale.heat(figure.value) <= hottest) continue;
    hottest = scale.heat(figure.value);
    worst = &layers[i];
  }
  const QString title = box.scope.empty() ? box.title : text(box.scope);
  QString rows = row(graphText("Layers"),
                     graphText("%1, %2 of them quantized")
                         .arg(text(grouped(box.layers.size())), text(grouped(quantized))));
  if (worst != nullptr) {
    rows += row(graphText("Worst"), text(worst->name) + QStringLiteral(": ") +
                                        figureWords(options.figureOf(*worst), options.metric()));
  }
  return page(title, rows + row(graphText("Findings"), countWords(findings)));
}

QString valueWords(ValueId id, const AnalysisSnapshot& snapshot, const QString& more = {}) {
  const Value& value = snapshot.graph()[id];
  const Observation* seen = snapshot.observations ? snapshot.observations->find(id) : nullptr;
  QString range;
  if (seen != nullptr && seen->count > 0) {
    range = graphText("%1 … %2 over %3 samples")
                .arg(shortText(seen->range.low), shortText(seen->range.high),
                     text(grouped(seen->samples)));
  }
  return page(text(value.name),
              row(graphText("Shape"), text(toString(value.type.shape))) +
                  row(graphText("Type"),
                      value.type.element ? text(name(*value.type.element)) : QStringLiteral("?")) +
                  row(graphText("Range"), range.isEmpty() ? graphText("not observed") : range) +
                  more);
}

// "uint8 −1.2 … 3.4, group of 5"
QString gridWords(const AnalysisSnapshot& snapshot, std::size_t point) {
  const QuantizedModel& model = *snapshot.quantized;
  const QuantizationPoint& place = model.groups.points[point];
  QStringList parts{text(name(place.precision.type))};
  const QString range = gridRangeText(model, place.group);
  if (!range.isEmpty()) parts[0] += u' ' + range;
  const std::size_t members = model.groups.members[place.group].size();
  if (members > 1) parts << graphText("group of %1").arg(members);
  return parts.join(QStringLiteral(", "));
}

// The observer of an edge.
QString observerWords(const AnalysisSnapshot& snapshot, std::size_t point) {
  const ObserverGroups& groups = snapshot.quantized->groups;
  const std::vector<ObserverSeat>& seats = snapshot.quantized->seats;
  if (seats[point] == ObserverSeat::OnEdge) return graphText("on this edge");
  const QuantizationPoint& place = groups.points[point];
  for (const std::size_t other : groups.members[place.group]) {
    const bool sits =
        seats[other] == ObserverSeat::AtOutput || seats[other] == ObserverSeat::OnEdge;
    if (!sits || groups.points[other].value != place.value) continue;
    return graphText("reuses that of %1")
        .arg(pointWords(pointName(snapshot.graph(), groups.points[other])));
  }
  return {};
}

// How the layers of the box at its end take a value of the edge.
QString quantizedRows(ValueId value, const DrawnBox& reader, const AnalysisSnapshot& snapshot) {
  if (!snapshot.quantized) return {};
  const std::vector<QuantizationPoint>& points = snapshot.quantized->groups.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].value != value || points[i].isOutput()) continue;
    const bool reads = std::ranges::any_of(reader.layers, [&](std::size_t layer) {
      return snapshot.result->layers[layer].node == points[i].consumer;
    });
    if (reads) {
      return row(graphText("Grid"), gridWords(snapshot, i)) +
             row(graphText("Observer"), observerWords(snapshot, i));
    }
  }
  return {};
}

}  // namespace

QString boxWords(const DrawnBox& box, const AnalysisSnapshot& snapshot,
                 const DisplayOptions& options, const FindingSum& findings) {
  if (box.value.valid()) return valueWords(box.value, snapshot);
  const bool group = box.kind == DrawnBox::Kind::Scope || box.kind == DrawnBox::Kind::Body;
  if (group || box.layers.size() != 1) return groupWords(box, snapshot, options, findings);
  return layerWords(snapshot, box.layers.front(), options, findings);
}

QString edgeWords(const DrawnEdge& edge, const std::vector<DrawnBox>& boxes,
                  const AnalysisSnapshot& snapshot) {
  QStringList parts;
  for (std::size_t i = 0; i < std::min(edge.values.size(), kMostValues); ++i) {
    parts.push_back(valueWords(edge.values[i], snapshot,
                               quantizedRows(edge.values[i], boxes[edge.to], snapshot)));
  }
  if (edge.values.size() > kMostValues) {
    parts.push_back(graphText("and %1 more").arg(edge.values.size() - kMostValues));
  }
  return parts.join(QStringLiteral("<br>"));
}

QString spokenWords(const DrawnBox& box, const AnalysisSnapshot& snapshot,
                    const DisplayOptions& options, const FindingSum& findings) {
  QString words = box.title + u' ' + box.subtitle;
  if (box.layers.size() == 1) {
    const LayerResult& layer = snapshot.result->layers[box.layers.front()];
    words += QStringLiteral(", ") + figureWords(options.figureOf(layer), options.metric());
  }
  const QString count = countWords(findings);
  if (!count.isEmpty()) words += QStringLiteral(", ") + graphText("findings: %1").arg(count);
  return words.trimmed();
}

}  // namespace quantscope
