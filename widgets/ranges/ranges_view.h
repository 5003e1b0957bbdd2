#pragma once

#include <QByteArray>

#include "widgets/copy/picture_actions.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace quantscope {

class FilterField;
class RangeDelegate;
class RangeDetail;
class RangesHeader;
class RangesModel;
class RangesOrder;

/// Observed and quantized ranges of all values, in execution order, and of the selected one its
/// channels, its weights and its batches.
class RangesView : public SnapshotView {
  Q_OBJECT

 public:
  explicit RangesView(const ViewContext& context, QWidget* parent = nullptr);

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildTable();
  QLayout* buildBar();
  void applyFilter();
  void describeCount();
  void makeRoom();
  void updateAxis();
  void pickRow(const QModelIndex& index);
  void showDetail();
  QString hint() const;
  void showContextMenu(const QPoint& position);
  /// Row of the model for what is selected; −1 = none.
  int selectedRow() const;
  ViewPicture picture() const;

  RangesModel* m_model;
  RangesOrder* m_order;
  RangeDelegate* m_delegate;
  QTableView* m_table;
  RangesHeader* m_header;
  FilterField* m_filter;
  QToolButton* m_sharedAxis;
  QToolButton* m_inner;
  QLabel* m_count;
  QLabel* m_empty;
  QLabel* m_hint;  // in place of the detail where nothing is selected
  QStackedWidget* m_pages;
  RangeDetail* m_detail;
  LayerIndex m_layers;
  int m_picked = -1;         // the row that the user took: a layer may have several
  bool m_following = false;  // rows change on their own: not the user's choice
};

}  // namespace quantscope
