#include "widgets/layers/layers_model.h"

#include <algorithm>

#include "base/number_text.h"
#include "widgets/look/text.h"
#include "widgets/tables/cell_words.h"
#include "widgets/tables/title_header.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

using Kind = LayerColumn::Kind;

const LayerColumn& columnAt(int section) {
  return layerColumns()[static_cast<std::size_t>(section)];
}

QString exactWords(const LayerColumn& column, const QVariant& raw) {
  if (column.kind == Kind::Count) return text(grouped(raw.toULongLong()));
  const QString number = exactText(raw.toDouble());
  return column.unit.isEmpty() ? number : number + u' ' + column.unit;
}

QString toolTip(const LayerColumn& column, const LayerResult& layer, const QVariant& raw) {
  if (column.kind == Kind::Position) return {};
  if (!column.isNumber()) return raw.toString();
  if (raw.isValid()) return column.title + QStringLiteral(": ") + exactWords(column, raw);
  if (column.kind != Kind::Error) return LayersModel::tr("%1: no value").arg(column.title);
  return column.title + QStringLiteral(": ") + absenceText(absenceOf(layer, column.error));
}

QString paragraph(const QString& title, const QString& sentence) {
  return QStringLiteral("<p><b>%1</b><br>%2</p>")
      .arg(title.toHtmlEscaped(), sentence.toHtmlEscaped());
}

QString definitionOf(const LayerColumn& column) {
  QString title = column.title;
  if (!column.unit.isEmpty()) title += QStringLiteral(" (%1)").arg(column.unit);
  QString html = paragraph(title, column.definition);
  if (!column.groupDefinition.isEmpty()) html += paragraph(column.group, column.groupDefinition);
  return html;
}

}  // namespace

void LayersModel::setSnapshot(SnapshotPtr snapshot) {
  const bool same = m_snapshot && snapshot && m_snapshot->model.graph == snapshot->model.graph &&
                    sameLayers(m_snapshot->result.get(), snapshot->result.get());
  if (same) {
    m_snapshot = std::move(snapshot);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  m_snapshot = std::move(snapshot);
  endResetModel();
}

void LayersModel::setOther(const std::shared_ptr<const AnalysisResult>& other) {
  if (other == m_other) return;
  m_other = other;
  m_otherLayers = other ? LayerIndex(*other) : LayerIndex();
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

// Errors are differences where there is something to take away.
QVariant LayersModel::valueOf(const LayerColumn& column, int row) const {
  const QVariant own = column.value(layer(row), static_cast<std::size_t>(row));
  if (!m_other || column.kind != Kind::Error || !own.isValid()) return own;
  const auto found = m_otherLayers.find(layer(row).node);
  const QVariant other =
      found ? column.value(m_other->layers[*found], static_cast<std::size_t>(row)) : QVariant();
  if (!other.isValid()) return {};
  return differenceOf({Figure::Kind::Value, own.toDouble()},
                      {Figure::Kind::Value, other.toDouble()})
      .value;
}

const LayerResult& LayersModel::layer(int row) const {
  return m_snapshot->result->layers[static_cast<std::size_t>(row)];
}

int LayersModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->result->layers.size());
}

int LayersModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(layerColumns().size());
}

QVariant LayersModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const LayerColumn& column = columnAt(index.column());
  const LayerResult& layer = this->layer(index.row());
  const auto raw = [&] { return valueOf(column, index.row()); };
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      return raw();
    case Qt::AccessibleTextRole:
      return cellWords(raw());
    case Qt::ToolTipRole:
      return toolTipText(toolTip(column, layer, raw()));
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (column.isNumber() ? Qt::AlignRight : Qt::AlignLeft));
    case kAbsenceRole:
      if (column.kind != Kind::Error || raw().isValid()) return {};
      return static_cast<int>(absenceOf(layer, column.error));
    case kOperatorRole:
      return text(layer.op);
    default:
      return {};
  }
}

QVariant LayersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const LayerColumn& column = columnAt(section);
  switch (role) {
    case Qt::DisplayRole:
      return column.heading();
    case Qt::ToolTipRole:
      return definitionOf(column);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (column.isNumber() ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::InitialSortOrderRole:
      return static_cast<int>(column.firstOrder);
    case TitleHeader::kTitle:
      return column.title;
    case TitleHeader::kUnit:
      return column.unit;
    case TitleHeader::kGroup:
      return m_other && column.kind == Kind::Error ? column.group + tr(", A − B") : column.group;
    default:
      return {};
  }
}

}  // namespace quantscope
