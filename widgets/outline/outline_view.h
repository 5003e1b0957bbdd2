#pragma once

#include <set>

#include "widgets/outline/outline_tree.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QLabel;
class QStackedWidget;
class QTreeView;

namespace quantscope {

class FilterField;
class OutlineDelegate;
class OutlineModel;
class OutlineOrder;

/// The tree of scopes and layers with an error bar each.
class OutlineView : public SnapshotView {
  Q_OBJECT

 public:
  explicit OutlineView(const ViewContext& context, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  /// The order of the rows, and how wide the columns are.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

 protected:
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  void changeEvent(QEvent* event) override;

 private:
  void buildTree();
  void applyFilter();
  void describeEmptiness();
  void expandAtFirst();
  std::set<OutlineTree::Index> expandedScopes() const;
  void expandScopes(const std::set<OutlineTree::Index>& scopes);
  void pickRows();
  void showSeveral();
  void addLayers(OutlineTree::Index item, std::vector<NodeId>& nodes) const;
  void showContextMenu(const QPoint& position);
  QModelIndex selectedIndex() const;

  OutlineModel* m_model;
  OutlineOrder* m_order;
  OutlineDelegate* m_delegate;
  QTreeView* m_tree;
  FilterField* m_filter;
  QLabel* m_empty;
  QStackedWidget* m_pages;
  LayerIndex m_layers;
  std::set<OutlineTree::Index> m_expandedBefore;  // a filter opened all scopes
  bool m_filtered = false;
  bool m_following = false;  // rows change on their own: not the user's choice
  bool m_picking = false;    // the rows are the user's choice: nothing is to be brought in line
};

}  // namespace quantscope
