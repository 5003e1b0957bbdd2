#pragma once

class QAbstractItemView;
class QHeaderView;
class QTableView;

namespace quantscope {

class Selection;

/// A calm table: whole rows of one line, striped, without grid or frame. Tab leaves it.
void dressTable(QTableView& table);

/// After sorting, the view is at its top, at the first rows.
void showTopWhenSorted(QAbstractItemView& view, const QHeaderView& header);

/// A double click and Return bring the selection to the middle of the graph.
void centreOnActivation(QAbstractItemView& view, Selection& selection);

}  // namespace quantscope
