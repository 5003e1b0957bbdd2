#include "widgets/copy/table_actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageBox>
#include <QSet>
#include <QTableView>
#include <QTreeView>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

bool isHidden(const QAbstractItemView& view, int column) {
  if (const auto* table = qobject_cast<const QTableView*>(&view)) {
    return table->isColumnHidden(column);
  }
  if (const auto* tree = qobject_cast<const QTreeView*>(&view)) return tree->isColumnHidden(column);
  return false;
}

// A spreadsheet would take it for a formula.
bool looksLikeFormula(const QString& cell) {
  if (cell.isEmpty() || !QStringLiteral("=+-@\t\r").contains(cell.front())) return false;
  bool isNumber = false;
  cell.toDouble(&isNumber);
  return !isNumber;
}

QString quoted(QString cell, QChar separator) {
  if (looksLikeFormula(cell)) cell.prepend(u'\'');
  const bool plain = !cell.contains(separator) && !cell.contains(u'"') && !cell.contains(u'\n');
  if (plain) return cell;
  return u'"' + cell.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

QString cellText(const QModelIndex& index) {
  const QVariant exact = index.data(kExactRole);
  if (!exact.isValid()) return index.data(Qt::DisplayRole).toString();
  // The shortest text that reads back as the same number.
  if (exact.typeId() == QMetaType::Double)
    return QString::number(exact.toDouble(), 'g', QLocale::FloatingPointShortest);
  return exact.toString();
}

QJsonValue cellJson(const QModelIndex& index) {
  const QVariant exact = index.data(kExactRole);
  if (!exact.isValid()) return index.data(Qt::DisplayRole).toString();
  if (exact.typeId() != QMetaType::Double) return QJsonValue::fromVariant(exact);
  const double number = exact.toDouble();
  // JSON has no such numbers; words as in the other files.
  if (std::isfinite(number)) return number;
  return std::isnan(number)
             ? QJsonValue()
             : QJsonValue(number > 0 ? QStringLiteral("Infinity") : QStringLiteral("-Infinity"));
}

void save(QAbstractItemView* view, const QString& fileName) {
  const QString file = QFileDialog::getSaveFileName(
      view, QObject::tr("Save Table"), fileName + QStringLiteral(".csv"),
      QObject::tr("Comma-separated values (*.csv);;JSON (*.json)"));
  if (file.isEmpty()) return;
  const bool json = file.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive);
  const QByteArray bytes = json ? tableJson(*view) : tableText(*view, {}, u',').toUtf8();
  try {
    writeFileAtomically(
        file.toStdString(),
        std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(bytes.size()))));
  } catch (const Error& error) {
    QMessageBox::warning(view, QObject::tr("Save Table"), text(error.what()));
  }
}

// First cells of all rows; those of a tree with their children behind them.
void appendRows(const QAbstractItemModel& model, const QModelIndex& parent, QModelIndexList& rows) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    rows << index;
    appendRows(model, index, rows);
  }
}

QModelIndexList allRows(const QAbstractItemView& view) {
  QModelIndexList rows;
  appendRows(*view.model(), view.rootIndex(), rows);
  return rows;
}

QList<int> selectedRows(const QAbstractItemView& view) {
  QSet<QModelIndex> selected;
  for (const QModelIndex& index : view.selectionModel()->selectedIndexes())
    selected.insert(index.siblingAtColumn(0));
  QList<int> rows;
  for (int position = 0; const QModelIndex& row : allRows(view)) {
    if (selected.contains(row)) rows << position;
    ++position;
  }
  return rows;
}

}  // namespace

QString tableText(const QAbstractItemView& view, QList<int> rows, QChar separator) {
  const QAbstractItemModel& model = *view.model();
  const QModelIndexList all = allRows(view);
  if (rows.isEmpty()) {
    for (int row = 0; row < all.size(); ++row) rows << row;
  }
  QString result;
  const auto append = [&](const auto& cellOf) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) {
      if (!isHidden(view, column)) cells << quoted(cellOf(column), separator);
    }
    result += cells.join(separator) + u'\n';
  };
  append([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
  for (const int row : rows) {
    append([&](int column) { return cellText(all[row].siblingAtColumn(column)); });
  }
  return result;
}

QByteArray tableJson(const QAbstractItemView& view) {
  const QAbstractItemModel& model = *view.model();
  QJsonArray table;
  for (const QModelIndex& first : allRows(view)) {
    QJsonObject row;
    for (int column = 0; column < model.columnCount(); ++column) {
      if (isHidden(view, column)) continue;
      const QString heading = model.headerData(column, Qt::Horizontal).toString();
      row[heading] = cellJson(first.siblingAtColumn(column));
    }
    table.append(row);
  }
  return QJsonDocument(table).toJson();
}

QList<QAction*> tableActions(QAbstractItemView* view, const QString& fileName) {
  auto* copy = new QAction(QObject::tr("Copy"), view);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(copy, &QAction::triggered, view, [view] {
    const QList<int> rows = selectedRows(*view);
    if (!rows.isEmpty()) QGuiApplication::clipboard()->setText(tableText(*view, rows, u'\t'));
  });
  auto* copyAll = new QAction(QObject::tr("Copy Table"), view);
  QObject::connect(copyAll, &QAction::triggered, view,
                   [view] { QGuiApplication::clipboard()->setText(tableText(*view, {}, u'\t')); });
  auto* saveAs = new QAction(QObject::tr("Save Table As…"), view);
  QObject::connect(saveAs, &QAction::triggered, view, [view, fileName] { save(view, fileName); });
  const QList<QAction*> actions{copy, copyAll, saveAs};
  view->addActions(actions);
  return actions;
}

}  // namespace quantscope
