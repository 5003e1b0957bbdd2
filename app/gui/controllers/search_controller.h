#pragma once

#include <QObject>

#include "app/gui/comparison.h"
#include "app/gui/window/dialogs.h"
#include "idle_probe.h"
#include "search/measured/measured_search.h"

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
  bool canSearch() const;
  bool canAdopt() const;
  /// The point that is chosen in the pane.
  void adoptChosen();
  void preview(int point);
  /// One step that can be undone.
  void adopt(int point);

 private:
  /// What a search is asked, beside the analysis that it starts from.
  struct Question {
    SearchGoal goal;
    std::vector<QuantType> types;
    std::string costs;  ///< the file of times; empty = times of this machine
  };
  /// The points found by a search, and what it was asked.
  struct Found {
    AnalysisRequest request;
    AnalysedFiles files;
    Question question;
    std::vector<FrontPoint> front;
    QString notices;  ///< of the search as a whole, in sentences
  };

  IdleProbe::Work prepare(const SnapshotPtr& shown);
  void chooseCosts();
  void restart();
  void end(const QString& failure);
  void show(const QString& progress);
  /// As it is set in the pane.
  Question question() const;
  /// What was found is of the model and the data that are open.
  bool isCurrent() const;
  /// The window's configuration is neither the search's start nor one that it has found.
  bool isEditedSince() const;
  /// What was asked otherwise than it is set now: "another budget"; empty = nothing.
  QString differences() const;
  QString restWords() const;

  Session& m_session;
  Comparison& m_comparison;
  SensitivityView& m_view;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  std::shared_ptr<const Found> m_found;
  std::shared_ptr<const Found> m_shown;
  bool m_shownChosen = false;  // with the mark of what the search has chosen
  QString m_failure;
  bool m_wanted = false;
  IdleProbe m_probe;
};

}  // namespace quantscope
