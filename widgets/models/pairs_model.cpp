#include "widgets/models/pairs_model.h"

#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/tables/cell_words.h"

namespace quantscope {
namespace {

struct Heading {
  const char* title;
  const char* definition;
};

constexpr Heading kHeadings[PairsModel::kColumns] = {
    {QT_TRANSLATE_NOOP("PairsModel", "Layer"),
     QT_TRANSLATE_NOOP("PairsModel", "The layer, or value, of the first model.")},
    {QT_TRANSLATE_NOOP("PairsModel", "In the other"),
     QT_TRANSLATE_NOOP("PairsModel", "Its twin in the second model.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Value"),
     QT_TRANSLATE_NOOP("PairsModel", "What is compared, as the first model calls it.")},
    {QT_TRANSLATE_NOOP("PairsModel", "SQNR (dB)"),
     QT_TRANSLATE_NOOP("PairsModel",
                       "Of the second model's value against the first's, with all errors before "
                       "it. Higher is better.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Own (dB)"),
     QT_TRANSLATE_NOOP("PairsModel",
                       "SQNR of the second model's layer by itself, on the first model's values. "
                       "Higher is better.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Unexplained (dB)"),
     QT_TRANSLATE_NOOP("PairsModel",
                       "How much larger the layer's own error is than rounding to its types makes "
                       "it. Near 0 is sound.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Findings"),
     QT_TRANSLATE_NOOP("PairsModel",
                       "How many the detectors have about the first model's layer on the second "
                       "model's grids.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Matched by"),
     QT_TRANSLATE_NOOP("PairsModel", "What says that the two are twins.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Confidence"),
     QT_TRANSLATE_NOOP("PairsModel", "Of the match, 0 to 1.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Range"),
     QT_TRANSLATE_NOOP("PairsModel", "Smallest and largest element in the first model.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Other range"),
     QT_TRANSLATE_NOOP("PairsModel", "Smallest and largest element in the second model.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Weights"),
     QT_TRANSLATE_NOOP("PairsModel", "The grid of the second model's weights.")},
    {QT_TRANSLATE_NOOP("PairsModel", "Output"),
     QT_TRANSLATE_NOOP("PairsModel", "The grid of the second model's output.")}};

QString rangeWords(const std::optional<Range>& range) {
  if (!range) return QStringLiteral("–");
  return QObject::tr("%1 … %2").arg(shortText(range->low), shortText(range->high));
}

QString gridWords(const ComparedGrid& grid) {
  if (grid.bits == 0 || grid.scales.empty()) return QStringLiteral("–");
  const QString bits = QObject::tr("%1 bits").arg(grid.bits);
  if (grid.scales.size() > 1) {
    return QObject::tr("%1, %2 scales").arg(bits).arg(grid.scales.size());
  }
  return QObject::tr("%1, scale %2, zero point %3")
      .arg(bits, shortText(static_cast<double>(grid.scales[0])))
      .arg(grid.zeroPoints.empty() ? 0 : grid.zeroPoints[0]);
}

QVariant number(const std::optional<double>& value) {
  return value ? QVariant(*value) : QVariant();
}

}  // namespace

void PairsModel::setComparison(const ModelComparison& comparison) {
  beginResetModel();
  m_comparison = comparison;
  m_reasons.assign(comparison.layers.size(), QString());
  for (const Suspect& suspect : comparison.suspects) {
    if (m_reasons[suspect.layer].isEmpty()) m_reasons[suspect.layer] = text(suspect.reason);
  }
  endResetModel();
}

int PairsModel::pairOf(int row) const {
  return row >= 0 && static_cast<std::size_t>(row) < m_comparison.layers.size() ? row : -1;
}

QString PairsModel::firstValue(int row) const {
  if (pairOf(row) >= 0) return text(m_comparison.layers[static_cast<std::size_t>(row)].firstValue);
  const std::size_t alone = static_cast<std::size_t>(row) - m_comparison.layers.size();
  const auto& names = m_comparison.firstUnmatched;
  return alone < names.size() ? text(names[alone]) : QString();
}

QString PairsModel::secondValue(int row) const {
  if (pairOf(row) >= 0) return text(m_comparison.layers[static_cast<std::size_t>(row)].secondValue);
  const std::size_t alone = static_cast<std::size_t>(row) - m_comparison.layers.size();
  const std::size_t before = m_comparison.firstUnmatched.size();
  return alone < before ? QString() : text(m_comparison.secondUnmatched[alone - before]);
}

int PairsModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return static_cast<int>(m_comparison.layers.size() + m_comparison.firstUnmatched.size() +
                          m_comparison.secondUnmatched.size());
}

int PairsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumns);
}

QVariant PairsModel::exact(const ComparedLayer& layer, int column) const {
  switch (column) {
    case kSqnr:
      return number(layer.error.sqnrDb);
    case kOwnSqnr:
      return layer.own ? number(layer.own->sqnrDb) : QVariant();
    case kExcess:
      return number(layer.excessDb);
    case kFindings:
      return static_cast<int>(layer.reasons.size());
    case kConfidence:
      return layer.confidence;
    default:
      return {};
  }
}

QVariant PairsModel::words(int row, int column) const {
  const int pair = pairOf(row);
  if (pair < 0) {
    if (column == kFirst) return firstValue(row);
    if (column == kSecond) return secondValue(row);
    if (column == kValue) return firstValue(row);
    return column == kHow ? tr("no twin") : QString();
  }
  const ComparedLayer& layer = m_comparison.layers[static_cast<std::size_t>(pair)];
  switch (column) {
    case kFirst:
      return text(layer.firstLayer);
    case kSecond:
      return text(layer.secondLayer);
    case kValue:
      return text(layer.firstValue);
    case kHow:
      return text(layer.how);
    case kExcess:
      return layer.excessDb ? fixedText(*layer.excessDb, 1) : QStringLiteral("–");
    case kFindings:
      return layer.reasons.empty() ? QString() : QString::number(layer.reasons.size());
    case kFirstRange:
      return rangeWords(layer.firstRange);
    case kSecondRange:
      return rangeWords(layer.secondRange);
    case kWeights:
      return gridWords(layer.weight);
    case kOutput:
      return gridWords(layer.output);
    default:
      return cellWords(exact(layer, column));
  }
}

QVariant PairsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int pair = pairOf(index.row());
  const bool figure =
      index.column() >= kSqnr && index.column() <= kConfidence && index.column() != kHow;
  switch (role) {
    case Qt::DisplayRole:
      return words(index.row(), index.column());
    case kExactRole:
      if (!figure) return words(index.row(), index.column());
      return pair >= 0 ? exact(m_comparison.layers[static_cast<std::size_t>(pair)], index.column())
                       : QVariant();
    case Qt::TextAlignmentRole:
      return figure ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
      if (pair >= 0 && !m_reasons[static_cast<std::size_t>(pair)].isEmpty()) {
        return toolTipText(m_reasons[static_cast<std::size_t>(pair)]);
      }
      return toolTipText(words(index.row(), index.column()).toString());
    default:
      return {};
  }
}

QVariant PairsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::DisplayRole) return tr(kHeadings[section].title);
  if (role == Qt::ToolTipRole) return tr(kHeadings[section].definition);
  if (role == Qt::TextAlignmentRole) {
    const bool figure = section >= kSqnr && section <= kConfidence && section != kHow;
    return QVariant((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

}  // namespace quantscope
