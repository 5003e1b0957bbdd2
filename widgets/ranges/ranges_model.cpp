#include "widgets/ranges/ranges_model.h"

#include <algorithm>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/title_header.h"

namespace quantscope {
namespace {

struct Heading {
  const char* title;
  const char* unit;
  const char* definition;
};

Heading headingOf(int column) {
  switch (column) {
    case RangesModel::kPosition:
      return {"#", "", "Position of the layer in execution order; 0 = an input of the model."};
    case RangesModel::kValue:
      return {"Value", "", "The node that makes the value, and its operators."};
    case RangesModel::kChart:
      return {
          "Range", "",
          "Bar: smallest to largest element that calibration saw; its dark part holds 99.8 % of "
          "all elements. Bracket: what the quantization grid can represent; what reaches beyond "
          "it is clipped. They should end alike."};
    case RangesModel::kLow:
      return {"Min", "value", "Smallest element over the calibration data."};
    case RangesModel::kHigh:
      return {"Max", "value", "Largest element over the calibration data."};
    case RangesModel::kWidth:
      return {"Width", "value",
              "Max − min. Wide ranges cost resolution: the grid's steps grow with them."};
    default:
      return {"Mismatch", "%",
              "How little the observed range and the grid have in common: 1 − common / union. 0 is "
              "best; a large one wastes codes or clips."};
  }
}

bool isFigure(int column) {
  return column >= RangesModel::kLow && column <= RangesModel::kMismatch;
}

bool sameValues(const std::vector<RangeRow>& a, const std::vector<RangeRow>& b) {
  return std::ranges::equal(a, b, [](const RangeRow& x, const RangeRow& y) {
    return x.value == y.value && x.node == y.node && x.inner == y.inner;
  });
}

QString joined(const RangeRow& row, QChar separator) {
  QStringList lines;
  for (const std::string& line : rangeWords(row)) lines << text(line);
  return lines.join(separator);
}

}  // namespace

void RangesModel::setSnapshot(SnapshotPtr snapshot) {
  std::vector<RangeRow> rows;
  if (snapshot) rows = rangeRows(*snapshot);
  const bool same = m_snapshot && snapshot && m_snapshot->model.graph == snapshot->model.graph &&
                    sameValues(m_rows, rows);
  if (!same) beginResetModel();
  m_inner.assign(rows.size(), std::nullopt);
  m_rows = std::move(rows);
  m_snapshot = std::move(snapshot);
  if (!same) {
    endResetModel();
  } else if (!m_rows.empty()) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  }
}

void RangesModel::setOther(const std::shared_ptr<const AnalysisResult>& other) {
  if (other == m_other) return;
  m_other = other;
  m_otherLayers = other ? LayerIndex(*other) : LayerIndex();
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
}

const Range& RangesModel::inner(int row) const {
  std::optional<Range>& range = m_inner[static_cast<std::size_t>(row)];
  if (!range) range = innerRange(*this->row(row).observation);
  return *range;
}

int RangesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RangesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant RangesModel::raw(int row, int column) const {
  const RangeRow& values = this->row(row);
  switch (column) {
    case kPosition:
      return static_cast<qlonglong>(values.layer ? *values.layer + 1 : 0);
    case kValue:
      return text(values.name);
    case kLow:
      return static_cast<double>(values.observed().low);
    case kHigh:
      return static_cast<double>(values.observed().high);
    case kWidth:
      return values.width();
    case kMismatch: {
      const std::optional<double> mismatch = values.mismatch();
      return mismatch ? QVariant(100 * *mismatch) : QVariant();
    }
    default:
      return {};
  }
}

// A result tells the range of the one output of a layer that was compared.
std::optional<double> RangesModel::otherFigure(const RangeRow& row, int column) const {
  const auto found = row.inner ? std::nullopt : m_otherLayers.find(row.node);
  if (!found) return std::nullopt;
  const LayerResult& layer = m_other->layers[*found];
  const bool known = layer.observedMin && layer.observedMax &&
                     layer.outputValue == m_snapshot->graph()[row.value].name;
  if (!known) return std::nullopt;
  const auto range = [](double low, double high) {
    return Range{static_cast<float>(low), static_cast<float>(high), false};
  };
  switch (column) {
    case kLow:
      return layer.observedMin;
    case kHigh:
      return layer.observedMax;
    case kWidth:
      return *layer.observedMax - *layer.observedMin;
    default:
      if (!layer.representableMin || !layer.representableMax) return std::nullopt;
      return 100 * mismatchOf(range(*layer.observedMin, *layer.observedMax),
                              range(*layer.representableMin, *layer.representableMax));
  }
}

// Figures are differences where there is something to take away.
QVariant RangesModel::valueOf(int row, int column) const {
  const QVariant own = raw(row, column);
  if (!m_other || !isFigure(column) || !own.isValid()) return own;
  const std::optional<double> other = otherFigure(this->row(row), column);
  return other ? QVariant(own.toDouble() - *other) : QVariant();
}

QVariant RangesModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const RangeRow& values = row(index.row());
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return column == kChart ? joined(values, u' ') : valueOf(index.row(), column);
    case Qt::AccessibleTextRole:
      return column == kChart ? joined(values, u' ') : cellWords(valueOf(index.row(), column));
    case Qt::ToolTipRole:
      return toolTipText(text(values.name) + u'\n' + text(values.op) + u'\n' +
                         joined(values, u'\n'));
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (column == kValue || column == kChart ? Qt::AlignLeft : Qt::AlignRight));
    case kRowRole:
      return index.row();
    default:
      return {};
  }
}

QVariant RangesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  const Heading heading = headingOf(section);
  const bool difference = m_other && isFigure(section);
  const QString title = difference ? tr("Δ %1").arg(tr(heading.title)) : tr(heading.title);
  const QString unit = text(heading.unit);
  // A column of numbers in the value's own unit needs no word for it on screen.
  const QString shownUnit = unit == QStringLiteral("value") ? QString() : unit;
  const QString whole = unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit);
  switch (role) {
    case Qt::DisplayRole:
      return whole;
    case TitleHeader::kTitle:
      return title;
    case TitleHeader::kUnit:
      return shownUnit;
    case Qt::ToolTipRole:
      return QStringLiteral("<p><b>%1</b><br>%2</p>")
                 .arg(whole.toHtmlEscaped(), tr(heading.definition).toHtmlEscaped()) +
             (difference ? tr("<p>Shown is A − B.</p>") : QString());
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (section == kValue || section == kChart ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::InitialSortOrderRole:
      return static_cast<int>(section == kChart || section >= kHigh ? Qt::DescendingOrder
                                                                    : Qt::AscendingOrder);
    default:
      return {};
  }
}

void RangesOrder::showInner(bool shown) {
  m_inner = shown;
  invalidateFilter();
}

bool RangesOrder::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* model = static_cast<const RangesModel*>(sourceModel());
  const RangeRow& values = model->row(row);
  if (values.inner && !m_inner) return false;
  if (filter().acceptsAll()) return true;
  if (values.layer)
    return filter().accepts(model->snapshot()->result->layers[*values.layer], *values.layer);
  LayerResult input;
  input.name = values.name;
  input.op = values.op;
  input.observedMin = values.observed().low;
  input.observedMax = values.observed().high;
  return filter().accepts(input, 0);
}

bool RangesOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  if (left.column() != RangesModel::kChart) return FigureOrder::lessThan(left, right);
  const auto* model = static_cast<const RangesModel*>(sourceModel());
  return model->row(left.row()).width() < model->row(right.row()).width();
}

}  // namespace quantscope
