#pragma once

#include <QObject>

#include "app/gui/comparison.h"
#include "app/gui/window/dialogs.h"
#include "idle_probe.h"
#include "search/optimized_config.h"

namespace quantscope {

class SensitivityView;

/// Searches for configurations of the Pareto front, when the user starts it; shows one as B and
/// makes it the window's configuration.
class SearchController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  SearchController(Session& session, Comparison& comparison, SensitivityView& view,
                   std::shared_ptr<Dialogs> dialogs, QWidget* window);

  void start();
  void stop();
  bool running() const { return m_wanted; }
  void preview(int point);
  /// One step that can be undone.
  void adopt(int point);

 private:
  /// The points found by a search, and its request.
  struct Found {
    AnalysisRequest request;
    std::vector<FrontPoint> front;
    FrontCost cost;
    QString notices;  ///< of the search as a whole, in sentences
  };

  IdleProbe::Work prepare(const SnapshotPtr& shown);
  void chooseCosts();
  void restart();
  void end(const QString& failure);
  void show(const QString& progress);
  bool isCurrent() const;
  QString restWords() const;

  Session& m_session;
  Comparison& m_comparison;
  SensitivityView& m_view;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  std::shared_ptr<const Found> m_found;
  std::shared_ptr<const Found> m_shown;
  QString m_failure;
  bool m_wanted = false;
  IdleProbe m_probe;
};

}  // namespace quantscope
