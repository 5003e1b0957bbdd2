#include "widgets/outline/outline_model.h"

#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "export/layer_words.h"
#include "widgets/look/text.h"
#include "widgets/tables/title_header.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

using Index = OutlineTree::Index;

QString figureWords(const Figure& figure, const MetricDescription& metric) {
  if (figure.kind != Figure::Kind::Value) return absenceText(figure.kind);
  const QString unit = text(metric.unit);
  return exactText(figure.value) + (unit.isEmpty() ? QString() : u' ' + unit);
}

}  // namespace

void OutlineModel::setSnapshot(SnapshotPtr snapshot) {
  const bool same = m_snapshot && snapshot && m_snapshot->model.graph == snapshot->model.graph &&
                    sameLayers(m_snapshot->result.get(), snapshot->result.get());
  if (same) {
    m_snapshot = std::move(snapshot);
    return;
  }
  beginResetModel();
  m_snapshot = std::move(snapshot);
  m_tree = m_snapshot ? OutlineTree(*m_snapshot->result) : OutlineTree();
  m_figures.assign(m_tree.size(), {});
  m_worst.assign(m_tree.size(), 0);
  endResetModel();
}

void OutlineModel::showFigures(const DisplayOptions& options) {
  const bool other =
      m_metric != &options.metric() || m_kind != options.kind() || m_delta != options.delta();
  m_delta = options.delta();
  m_metric = &options.metric();
  m_kind = options.kind();
  if (other) Q_EMIT headerDataChanged(Qt::Horizontal, kFigure, kFigure);
  if (!m_snapshot) return;
  const std::vector<Figure> ofLayers = options.figures(*m_snapshot->result);
  m_worst = m_tree.worstLayers(ofLayers, *m_metric);
  const std::vector<Figure> before = std::exchange(m_figures, m_tree.figures(ofLayers, *m_metric));
  for (Index item = 0; item < m_tree.size(); ++item) {
    const auto& children = m_tree[item].children;
    const auto differs = [&](Index child) { return other || m_figures[child] != before[child]; };
    const auto first = std::ranges::find_if(children, differs);
    if (first == children.end()) continue;
    const auto last = std::ranges::find_if(children.rbegin(), children.rend(), differs);
    Q_EMIT dataChanged(indexOf(*first, kName), indexOf(*last, kFigure));
  }
}

QModelIndex OutlineModel::indexOf(Index item, int column) const {
  if (item == OutlineTree::kRoot) return {};
  return createIndex(static_cast<int>(m_tree[item].row), column, item);
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const Index item = parent.isValid() ? parent.internalId() : OutlineTree::kRoot;
  return createIndex(row, column, m_tree[item].children[static_cast<std::size_t>(row)]);
}

QModelIndex OutlineModel::parent(const QModelIndex& index) const {
  return index.isValid() ? indexOf(item(index).parent) : QModelIndex();
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  const Index item = parent.isValid() ? parent.internalId() : OutlineTree::kRoot;
  return static_cast<int>(m_tree[item].children.size());
}

int OutlineModel::columnCount(const QModelIndex&) const {
  return kColumns;
}

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const OutlineTree::Item& item = this->item(index);
  const Figure& figure = this->figure(index);
  const bool isName = index.column() == kName;
  switch (role) {
    case Qt::DisplayRole:
    case kExactRole:
      if (isName) return role == kExactRole ? fullName(item) : text(item.label);
      return figure.kind == Figure::Kind::Value ? QVariant(figure.value) : QVariant();
    case Qt::AccessibleTextRole:
      return isName ? text(item.label) : figureWords(figure, *m_metric);
    case Qt::ToolTipRole:
      return toolTip(index);
    case kOperators:
      return operators(item);
    case kLayerCount:
      return item.layer ? QVariant() : QVariant(static_cast<qlonglong>(item.layers));
    case kAbsence:
      return figure.kind == Figure::Kind::Value ? QVariant()
                                                : QVariant(static_cast<int>(figure.kind));
    default:
      return {};
  }
}

QVariant OutlineModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QString unit = text(m_metric->unit);
  const QString metric = metricTitle();
  const QString title = metric + (unit.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(unit));
  if (role == Qt::DisplayRole) return section == kName ? tr("Layer") : title;
  if (role == TitleHeader::kTitle) return section == kName ? tr("Layer") : metric;
  if (role == TitleHeader::kUnit) return section == kName ? QString() : unit;
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (section == kName ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::ToolTipRole) return {};
  if (section == kName)
    return tr("<p>Scopes and layers in execution order; click to sort by it.</p>");
  return QStringLiteral("<p><b>%1: %2</b><br>%3</p><p>%4</p><p>%5</p>")
      .arg(titleOf(m_kind), title.toHtmlEscaped(), text(m_metric->definition).toHtmlEscaped(),
           definitionOf(m_kind).toHtmlEscaped(),
           tr("A scope shows the worst layer inside. Click to sort the worst first."));
}

QString OutlineModel::metricTitle() const {
  const QString title = text(m_metric->title);
  return m_delta ? QStringLiteral("Δ ") + title : title;
}

QString OutlineModel::fullName(const OutlineTree::Item& item) const {
  return text(item.layer ? m_snapshot->result->layers[*item.layer].name : item.scope);
}

QString OutlineModel::operators(const OutlineTree::Item& item) const {
  return item.layer ? text(layerOps(m_snapshot->result->layers[*item.layer])) : QString();
}

QString OutlineModel::toolTip(const QModelIndex& index) const {
  const OutlineTree::Item& item = this->item(index);
  const QString figure =
      metricTitle() + QStringLiteral(": ") + figureWords(this->figure(index), *m_metric);
  if (item.layer) return fullName(item) + u'\n' + operators(item) + u'\n' + figure;
  const std::size_t worst = m_worst[index.internalId()];
  return fullName(item) + u'\n' +
         (item.layers == 1 ? tr("1 layer") : tr("%1 layers").arg(text(grouped(item.layers)))) +
         u'\n' + tr("Worst: %1").arg(text(m_snapshot->result->layers[worst].name)) + u'\n' + figure;
}

}  // namespace quantscope
