#pragma once

#include <QWidget>

#include "jobs/analysis_snapshot.h"
#include "widgets/words/finding_groups.h"

class QComboBox;
class QLineEdit;
class QToolButton;

namespace quantscope {

/// Chooses which findings are listed, and how they are grouped.
class FindingFilters : public QWidget {
  Q_OBJECT

 public:
  explicit FindingFilters(QWidget* parent = nullptr);

  const FindingsQuery& query() const { return m_query; }
  /// Says nothing of it.
  void setQuery(const FindingsQuery& query);
  /// Offers the scopes that have findings; `dismissed`: how many are dismissed.
  void setFindings(const SnapshotPtr& snapshot, std::size_t dismissed);

 Q_SIGNALS:
  /// The user has changed the query.
  void changed(const quantscope::FindingsQuery& query);

 private:
  void fillDetectors();
  void fillPlaces();
  void choose(const FindingsQuery& query);
  void connectFields();

  QLineEdit* m_words;
  QComboBox* m_severity;
  QComboBox* m_detector;
  QComboBox* m_place;
  QToolButton* m_clear;
  QComboBox* m_grouping;
  QToolButton* m_showDismissed;
  FindingsQuery m_query;
  SnapshotPtr m_snapshot;
  QStringList m_scopes;  // scopes with findings
};

}  // namespace quantscope
