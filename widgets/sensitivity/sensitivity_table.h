#pragma once

#include <QWidget>

#include "jobs/sensitivity/sensitivity_in_steps.h"
#include "widgets/view/selection.h"

class QLabel;
class QTableView;

namespace quantscope {

class FilterField;
class SensitivityModel;
class SensitivityOrder;

/// The table of a sensitivity analysis with its filter, and what there is to say of its estimates;
/// what is selected in it is selected everywhere.
class SensitivityTable : public QWidget {
  Q_OBJECT

 public:
  /// The selection outlives it.
  explicit SensitivityTable(Selection& selection, QWidget* parent = nullptr);

  void setState(const SnapshotPtr& analysis, const SensitivityStatePtr& state);
  /// Marks the rows of the selected layer.
  void showSelection();

 private:
  void buildTable();
  void applyFilter();
  void pickRows();

  Selection& m_selection;
  SensitivityModel* m_model;
  SensitivityOrder* m_order;
  FilterField* m_filter;
  QLabel* m_count;
  QTableView* m_table;
  QLabel* m_note;            // of the estimates
  bool m_following = false;  // rows change on their own: not the user's choice
  bool m_picking = false;    // the rows are the user's choice
};

}  // namespace quantscope
