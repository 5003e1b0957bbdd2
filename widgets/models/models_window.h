#pragma once

#include <QMainWindow>

#include "base/job_context.h"
#include "compare/compare_models.h"
#include "jobs/compare/compared_snapshots.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QTableView;

namespace quantscope {

class FigureOrder;
class LayerReasons;
class LinkedGraphs;
class PairsModel;

/// The result of a comparison of two models, or of a model and dumps.
struct ShownComparison {
  ModelComparison comparison;
  QString headline;  ///< figures of the models as wholes, in a line
  ComparedSnapshots snapshots;
};

/// Two models side by side: which layer of the second one is wrong, and why. The window shows a
/// given comparison, and emits the user's requests.
class ModelsWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `first`, `second`: how the two are called.
  ModelsWindow(const QString& first, const QString& second, QWidget* parent = nullptr);

  /// Shown while a comparison is computed; the previous result stays.
  void showProgress(const Progress& progress);
  void showComparison(const ShownComparison& shown);
  /// Shows a sentence in place of the result.
  void showError(const QString& sentence);
  void showCancelled();

  LinkedGraphs& graphs() { return *m_graphs; }
  QTableView& table() { return *m_table; }
  QListWidget& suspects() { return *m_suspects; }
  const LayerReasons& reasons() const { return *m_reasons; }
  QString words() const;

 Q_SIGNALS:
  void cancelRequested();
  /// The user wants compare.json to be written.
  void saveRequested();
  /// The user has set a match to be compared again: values by name, an empty one = no twin.
  void matchRequested(const QString& firstValue, const QString& secondValue);

 private:
  void addTools();
  QWidget* makePage();
  void selectPair(int pair);
  void showRow(int row);
  void setBusy(bool busy);
  int currentRow() const;
  QString selectedValue(bool first) const;
  void showCurrent();

  PairsModel* m_pairs;
  FigureOrder* m_order;
  QLabel* m_headline;
  QLabel* m_verdict;
  QListWidget* m_suspects;
  LayerReasons* m_reasons;
  QTableView* m_table;
  LinkedGraphs* m_graphs;
  QProgressBar* m_progress;
  QList<QAction*> m_busy;  // show the progress, and cancel it
  QAction* m_match;
  QAction* m_unmatch;
  QAction* m_save;
  ModelComparison m_comparison;
};

}  // namespace quantscope
