#include "widgets/tables/layer_filter.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>

#include "export/layer_words.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString filterText(const char* english) {
  return QCoreApplication::translate("LayerFilter", english);
}

const LayerColumn* findColumn(const QString& name, ErrorKind kind) {
  QString full = name.toLower();
  if (full.startsWith(QStringLiteral("acc."))) full.replace(0, 4, QStringLiteral("accumulated."));
  for (const LayerColumn& column : layerColumns()) {
    if (column.filterName.isEmpty()) continue;
    if (column.filterName == full) return &column;
    if (column.metric != nullptr && column.error == kind && filterName(*column.metric) == full)
      return &column;
  }
  return nullptr;
}

bool contains(const std::string& text, const QString& word) {
  return quantscope::text(text).contains(word, Qt::CaseInsensitive);
}

bool matches(const LayerResult& layer, const QString& word) {
  return contains(layer.name, word) || contains(layerOps(layer), word) ||
         contains(layer.fusedOps, word) || contains(typeWords(layer.weight), word) ||
         contains(typeWords(layer.activation), word) || contains(typeWords(layer.output), word);
}

}  // namespace

LayerFilter::LayerFilter(const QString& text, ErrorKind kind) {
  static const QRegularExpression spacedOperator(QStringLiteral("\\s*(<=|>=|<|>|=)\\s*"));
  QString terms = text;
  terms.replace(spacedOperator, QStringLiteral("\\1"));
  for (const QString& term : terms.split(u' ', Qt::SkipEmptyParts)) addTerm(term, kind);
}

void LayerFilter::addTerm(const QString& term, ErrorKind kind) {
  static const QRegularExpression comparison(QStringLiteral("^([\\w./]+)(<=|>=|<|>|=)(.*)$"));
  const QRegularExpressionMatch match = comparison.match(term);
  if (!match.hasMatch()) {
    m_words << term;
    return;
  }
  const LayerColumn* column = findColumn(match.captured(1), kind);
  bool isNumber = false;
  const double number = match.captured(3).toDouble(&isNumber);
  if (column == nullptr) {
    m_problem = filterText("There is no figure called “%1”.").arg(match.captured(1));
  } else if (!isNumber) {
    m_problem = filterText("“%1” needs a number, as in %2%3 20.")
                    .arg(term, match.captured(1), match.captured(2));
  } else {
    m_comparisons.push_back({column, match.captured(2), number});
  }
}

bool LayerFilter::Comparison::holds(double value) const {
  if (operation == u"<") return value < number;
  if (operation == u"<=") return value <= number;
  if (operation == u">") return value > number;
  if (operation == u">=") return value >= number;
  return value == number;
}

bool LayerFilter::accepts(const LayerResult& layer, std::size_t position) const {
  return std::ranges::all_of(m_words, [&](const QString& word) { return matches(layer, word); }) &&
         std::ranges::all_of(m_comparisons, [&](const Comparison& comparison) {
           const std::optional<double> value = comparison.column->number(layer, position);
           return value && comparison.holds(*value);
         });
}

QString LayerFilter::help() {
  QStringList metrics;
  for (const MetricDescription& metric : metricCatalogue()) metrics << filterName(metric);
  return filterText(
             "<p>Words must occur in the name, the operators or the precision: <b>conv int8</b></p>"
             "<p>Figures are compared with &lt; &lt;= &gt; &gt;= =, for example "
             "<b>sqnr&lt;20</b> or <b>conv clipped&gt;1</b></p>"
             "<p>Metrics: %1. They are those of the error that the window shows; <b>local.sqnr</b> "
             "and <b>accumulated.sqnr</b> name one.</p>"
             "<p>Also: clipped (in %), min, max, gridmin, gridmax, params, overflows.</p>")
      .arg(metrics.join(QStringLiteral(", ")));
}

}  // namespace quantscope
