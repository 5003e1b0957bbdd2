#pragma once

#include <QObject>

#include "app/gui/session.h"
#include "widgets/shell/message_bar.h"
#include "widgets/words/find_matches.h"

namespace quantscope {

class FindingsController;
class SearchResults;
class ToolBar;
class WindowViews;

/// The search of a window: marks the text of the toolbar in the graph, if that is visible, and goes
/// to matches in every view.
class WindowSearch : public QObject {
  Q_OBJECT

 public:
  /// All outlive it; `parent` is the window.
  WindowSearch(Session& session, WindowViews& views, FindingsController& findings, ToolBar& toolBar,
               MessageBar& messages, QWidget* parent);

 private:
  void mark();
  void list();
  void markCurrent();
  void findNext(const QString& words, bool forward);
  void goTo(const SearchMatch& match);

  Session& m_session;
  WindowViews& m_views;
  FindingsController& m_findings;
  ToolBar& m_toolBar;
  MessageBar& m_messages;
  SearchResults* m_results;
  std::vector<SearchMatch> m_matches;  // by row of the results
  SearchMatch m_last;                  // the last match, or a later selection
};

}  // namespace quantscope
