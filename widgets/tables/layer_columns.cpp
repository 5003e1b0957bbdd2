#include "widgets/tables/layer_columns.h"

#include <QCoreApplication>
#include <string_view>
#include <vector>

#include "export/layer_words.h"
#include "precision/edits/type_choices.h"
#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

using Kind = LayerColumn::Kind;

constexpr int kTypeWidth = 212;

QString words(const char* english) {
  return QCoreApplication::translate("LayerColumns", english);
}

QVariant variant(const std::optional<double>& number) {
  return number ? QVariant(*number) : QVariant();
}

QVariant variant(const std::string& utf8) {
  return utf8.empty() ? QVariant() : QVariant(text(utf8));
}

LayerColumn named(Kind kind, const char* title, const char* definition, int width,
                  std::function<QVariant(const LayerResult&, std::size_t)> value) {
  LayerColumn column;
  column.kind = kind;
  column.title = words(title);
  column.definition = words(definition);
  column.common = true;
  column.width = width;
  column.value = std::move(value);
  return column;
}

// True for the columns shown first: the error itself, and whether the own error is more than
// rounding.
bool isCommon(const MetricDescription& metric, ErrorKind error) {
  const std::string_view key = metric.key;
  return (key == "sqnr_db" && error != ErrorKind::Contribution) ||
         (key == "rmse_over_scale" && error == ErrorKind::Local);
}

LayerColumn errorColumn(const MetricDescription& metric, ErrorKind error) {
  LayerColumn column;
  column.kind = Kind::Error;
  column.group = titleOf(error);
  column.title = text(metric.title);
  column.unit = text(metric.unit);
  column.definition = text(metric.definition);
  column.groupDefinition = definitionOf(error);
  column.filterName = keyOf(error) + u'.' + filterName(metric);
  column.common = isCommon(metric, error);
  // One column alone still has room for the heading of its group.
  column.width = error == ErrorKind::Local ? 128 : 148;
  column.metric = &metric;
  column.error = error;
  const bool highIsGood =
      metric.figure == &ErrorMetrics::sqnrDb || metric.figure == &ErrorMetrics::cosine;
  column.firstOrder = highIsGood ? Qt::AscendingOrder : Qt::DescendingOrder;
  column.value = [figure = metric.figure, error](const LayerResult& layer, std::size_t) {
    const std::optional<LayerError>& found = errorOf(layer, error);
    return found ? variant(found->total.*figure) : QVariant();
  };
  return column;
}

LayerColumn rangeColumn(const char* title, const char* filterName, const char* definition,
                        std::optional<double> LayerResult::*bound) {
  LayerColumn column =
      named(Kind::Number, title, definition, 92,
            [bound](const LayerResult& layer, std::size_t) { return variant(layer.*bound); });
  column.group = words("Output range");
  column.filterName = QLatin1String(filterName);
  column.firstOrder = Qt::DescendingOrder;
  return column;
}

LayerColumn typeColumn(const char* title, const char* definition, TensorRole tensor,
                       std::optional<AppliedType> LayerResult::*type) {
  LayerColumn column = named(
      Kind::Text, title, definition, kTypeWidth,
      [type](const LayerResult& layer, std::size_t) { return variant(typeWords(layer.*type)); });
  column.group = words("Precision");
  column.editable = true;
  column.tensor = tensor;
  return column;
}

QVariant wholeType(const LayerResult& layer) {
  if (layer.dataMover) return {};
  const std::optional<AppliedType>& type = layer.weight ? layer.weight : layer.activation;
  return typeTitle(layer.quantized && type ? signedType(type->type) : QuantType::Float32);
}

void addIdentity(std::vector<LayerColumn>& columns) {
  columns.push_back(named(Kind::Position, "#", "Position in execution order.", 52,
                          [](const LayerResult&, std::size_t position) {
                            return QVariant(static_cast<qlonglong>(position + 1));
                          }));
  columns.push_back(
      named(Kind::Name, "Layer", "Name of the node; of a fused pattern that of its first node.",
            232, [](const LayerResult& layer, std::size_t) { return variant(layer.name); }));
  columns.push_back(named(
      Kind::Text, "Type", "What the layer is quantized to as a whole; a click sets it to another.",
      84, [](const LayerResult& layer, std::size_t) { return wholeType(layer); }));
  columns.back().editable = true;
  columns.push_back(
      named(Kind::Text, "Operators", "The operators that run as one, in execution order.", 148,
            [](const LayerResult& layer, std::size_t) { return variant(layerOps(layer)); }));
  columns.push_back(
      named(Kind::Text, "Scope", "The part of the name before its last separator.", 168,
            [](const LayerResult& layer, std::size_t) { return variant(layer.scope); }));
  columns.back().common = false;
}

void addRanges(std::vector<LayerColumn>& columns) {
  LayerColumn clipped = named(
      Kind::Number, "Clipped",
      "Share of the float output's elements beyond the representable range, which saturate. 0 "
      "loses nothing; a little clipping can buy smaller steps for all other elements.",
      88, [](const LayerResult& layer, std::size_t) {
        return layer.clippedShare ? QVariant(100 * *layer.clippedShare) : QVariant();
      });
  clipped.group = words("Output range");
  clipped.unit = QStringLiteral("%");
  clipped.filterName = QStringLiteral("clipped");
  clipped.firstOrder = Qt::DescendingOrder;
  columns.push_back(std::move(clipped));
  columns.push_back(rangeColumn("Min", "min",
                                "Smallest element of the float output over the calibration data.",
                                &LayerResult::observedMin));
  columns.push_back(rangeColumn("Max", "max",
                                "Largest element of the float output over the calibration data.",
                                &LayerResult::observedMax));
  columns.push_back(rangeColumn("Grid min", "gridmin",
                                "Smallest number that the output's grid can represent.",
                                &LayerResult::representableMin));
  columns.push_back(rangeColumn("Grid max", "gridmax",
                                "Largest number that the output's grid can represent.",
                                &LayerResult::representableMax));
}

void addSizes(std::vector<LayerColumn>& columns) {
  LayerColumn parameters =
      named(Kind::Count, "Parameters", "Elements of the layer's constant inputs.", 96,
            [](const LayerResult& layer, std::size_t) {
              return layer.parameters > 0 ? QVariant(static_cast<qlonglong>(layer.parameters))
                                          : QVariant();
            });
  parameters.filterName = QStringLiteral("params");
  parameters.firstOrder = Qt::DescendingOrder;
  columns.push_back(std::move(parameters));
  LayerColumn overflows = named(
      Kind::Count, "Bias overflows",
      "Elements of the bias that do not fit into int32 at the scale of input times weight, and are "
      "clamped. Anything but 0 is wrong.",
      108, [](const LayerResult& layer, std::size_t) {
        return layer.weight ? QVariant(static_cast<qlonglong>(layer.biasOverflows)) : QVariant();
      });
  overflows.filterName = QStringLiteral("overflows");
  overflows.firstOrder = Qt::DescendingOrder;
  overflows.common = false;
  columns.push_back(std::move(overflows));
}

std::vector<LayerColumn> makeColumns() {
  std::vector<LayerColumn> columns;
  addIdentity(columns);
  for (const ErrorKind error : kErrorKinds) {
    for (const MetricDescription& metric : metricCatalogue()) {
      columns.push_back(errorColumn(metric, error));
    }
  }
  addRanges(columns);
  columns.push_back(typeColumn("Weights",
                               "What the layer's weights are quantized to; a click changes it.",
                               TensorRole::Weight, &LayerResult::weight));
  columns.push_back(typeColumn(
      "Input", "What the layer's input activations are quantized to; a click changes it.",
      TensorRole::Activation, &LayerResult::activation));
  columns.push_back(typeColumn("Output",
                               "What the layer's output is quantized to; a click changes it.",
                               TensorRole::Output, &LayerResult::output));
  addSizes(columns);
  return columns;
}

}  // namespace

QString LayerColumn::heading() const {
  QString text = group.isEmpty() ? title : group + QStringLiteral(": ") + title;
  if (!unit.isEmpty()) text += QStringLiteral(" (%1)").arg(unit);
  return text;
}

std::optional<double> LayerColumn::number(const LayerResult& layer, std::size_t position) const {
  if (!isNumber()) return std::nullopt;
  const QVariant raw = value(layer, position);
  if (!raw.isValid()) return std::nullopt;
  return raw.toDouble();
}

std::span<const LayerColumn> layerColumns() {
  static const std::vector<LayerColumn> columns = makeColumns();
  return columns;
}

QString filterName(const MetricDescription& metric) {
  return text(metric.title).toLower().remove(u' ');
}

}  // namespace quantscope
