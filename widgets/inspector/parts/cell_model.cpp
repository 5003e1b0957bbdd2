#include "widgets/inspector/parts/cell_model.h"

#include <cmath>

#include "widgets/look/text.h"

namespace quantscope {

Cell textCell(const QString& text, const QString& toolTip) {
  Cell cell;
  cell.text = text;
  cell.toolTip = toolTip;
  return cell;
}

Cell mutedCell(const QString& text, const QString& toolTip) {
  Cell cell = textCell(text, toolTip);
  cell.muted = true;
  return cell;
}

Cell linkCell(const QString& text, const QString& toolTip) {
  Cell cell = textCell(text, toolTip);
  cell.link = true;
  return cell;
}

Cell numberCell(const std::optional<double>& value, const QString& unit) {
  Cell cell;
  cell.text = shortText(value);
  cell.number = true;
  if (!value) return cell;
  cell.exact = *value;
  cell.toolTip = unit.isEmpty() ? exactText(value) : exactText(value) + u' ' + unit;
  return cell;
}

Cell heatCell(const Figure& figure, const ErrorScale& scale) {
  if (figure.kind != Figure::Kind::Value) {
    Cell cell = numberCell(std::nullopt);
    cell.absence = figure.kind;
    cell.toolTip = absenceText(figure.kind);
    return cell;
  }
  const QString unit = text(scale.metric().unit);
  Cell cell = numberCell(figure.value, unit);
  cell.heat = scale.position(figure.value);
  return cell;
}

Cell sqnrCell(const std::optional<double>& sqnrDb, const ErrorScale& scale) {
  if (!sqnrDb || std::isnan(*sqnrDb)) return heatCell({Figure::Kind::NotComputed, 0}, scale);
  return heatCell({Figure::Kind::Value, *sqnrDb}, scale);
}

void CellModel::setContent(CellTableContent content) {
  const bool sameSize = content.headers == m_content.headers &&
                        content.headerTips == m_content.headerTips &&
                        content.rows.size() == m_content.rows.size();
  if (!sameSize) {
    beginResetModel();
    m_content = std::move(content);
    endResetModel();
    return;
  }
  const bool same = content.rows == m_content.rows && content.marked == m_content.marked;
  m_content = std::move(content);
  if (!same && rowCount() > 0) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }
}

int CellModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_content.rows.size());
}

int CellModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_content.headers.size());
}

QVariant CellModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Cell& cell =
      m_content
          .rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole:
      return cell.text;
    case Qt::ToolTipRole:
      return cell.toolTip.isEmpty() ? QVariant() : toolTipText(cell.toolTip);
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter | (cell.number ? Qt::AlignRight : Qt::AlignLeft));
    case kExactRole:
      return cell.exact;
    case kHeatRole:
      return cell.heat ? QVariant(*cell.heat) : QVariant();
    case kAbsenceRole:
      return cell.absence ? QVariant(static_cast<int>(*cell.absence)) : QVariant();
    case kLinkRole:
      return cell.link;
    case kMarkedRole:
      return index.row() == m_content.marked;
    case kMutedRole:
      return cell.muted;
    default:
      return {};
  }
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) return m_content.headers[section];
  if (role == Qt::ToolTipRole) {
    const QString tip = m_content.headerTips.value(section);
    return tip.isEmpty() ? QVariant() : tip;
  }
  if (role == Qt::TextAlignmentRole) {
    const bool number =
        !m_content.rows.empty() && m_content.rows.front()[static_cast<std::size_t>(section)].number;
    return static_cast<int>(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  return {};
}

}  // namespace quantscope
