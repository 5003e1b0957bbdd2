#pragma once

#include <QList>
#include <QString>

class QAbstractItemModel;
class QAbstractItemView;
class QAction;

namespace quantscope {

/// Role under which a model gives a cell with full precision, for copies, CSV and sorting; the
/// display role is used where there is none.
inline constexpr int kExactRole = 0x0100;  // Qt::UserRole

/// Actions "Copy" (Ctrl+C: the selected rows with their header, tab-separated), "Copy Table" and
/// "Save Table As…" (CSV or JSON), owned by `view` and added to it. Hidden columns are left out;
/// rows come in the order on screen; numbers with full precision.
QList<QAction*> tableActions(QAbstractItemView* view, const QString& fileName);

/// The visible part of a table as text; cells with separators, quotes or line ends are quoted.
/// `rows` empty = all; rows of a tree count from its first one downwards, collapsed ones too.
QString tableText(const QAbstractItemView& view, QList<int> rows, QChar separator);

/// The whole table as JSON: a list with an object per row, by the columns' headings. Numbers are
/// numbers, with full precision; null where there is none.
QByteArray tableJson(const QAbstractItemView& view);

}  // namespace quantscope
