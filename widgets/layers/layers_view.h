#pragma once

#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace quantscope {

class FilterField;
class LayerDelegate;
class LayerHeader;
class LayersModel;
class LayersOrder;

/// The table of all layers: every metric, parameters, types and ranges.
class LayersView : public SnapshotView {
  Q_OBJECT

 public:
  explicit LayersView(const ViewContext& context, QWidget* parent = nullptr);

  /// The shown columns, their places and widths, and the sorting.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;

 private:
  void buildTable();
  void applyFilter();
  void describeCount();
  void pickRows();
  void showSeveral();
  void clickCell(const QModelIndex& index);
  void showContextMenu(const QPoint& position);
  void selectScope(const std::string& scope);

  LayersModel* m_model;
  LayersOrder* m_order;
  LayerDelegate* m_delegate;
  QTableView* m_table;
  LayerHeader* m_header;
  FilterField* m_filter;
  QLabel* m_count;
  QLabel* m_empty;
  QStackedWidget* m_pages;
  LayerIndex m_layers;
  bool m_following = false;  // rows change on their own: not the user's choice
  bool m_picking = false;    // the rows are the user's choice: nothing is to be brought in line
};

}  // namespace quantscope
