#pragma once

#include <QObject>
#include <string>
#include <vector>

#include "base/ids.h"

namespace quantscope {

/// The selection of the window: a layer (by its leading node), a scope, or a value without a layer
/// (an input or constant); and within it a channel and a sample. A layer together with a value that
/// it reads is the edge between them. Empty parts are not selected.
struct Selected {
  NodeId node;
  std::string scope;
  ValueId value;
  int channel = -1;
  int sample = -1;
  std::vector<NodeId> more = {};  ///< further layers, in the order in which they were added

  bool several() const { return !more.empty(); }
  /// The layers: `node` and those beside it.
  std::vector<NodeId> nodes() const;
  bool empty() const { return *this == Selected{}; }
  friend bool operator==(const Selected&, const Selected&) = default;
};

/// The one selection of a window. Views change it and follow it; they never talk to each other.
class Selection : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const Selected& current() const { return m_current; }
  /// Makes it current and remembers the previous selection.
  void select(const Selected& selected);
  void selectNode(NodeId node) { select({.node = node, .scope = {}, .value = {}}); }
  /// Layers, the first one foremost; none = nothing.
  void selectNodes(const std::vector<NodeId>& nodes);
  /// Adds a layer to those selected, or takes it out.
  void toggleNode(NodeId node);
  /// Selects a channel within the selection; −1 = none.
  void selectChannel(int channel);
  void selectSample(int sample);
  void clear() { select({}); }

  /// Forgets everything, as when another model is opened.
  void reset();

  bool canGoBack() const { return m_position > 0; }
  bool canGoForward() const { return m_position + 1 < m_history.size(); }
  void goBack();
  void goForward();

  /// Asks to bring the selection to the middle of the graph.
  void requestCentre() { Q_EMIT centreRequested(); }
  /// Asks to open what hides the selection in the graph, where the graph is seen.
  void requestOpening() { Q_EMIT openingRequested(); }
  /// Asks to centre it, and for the graph to be seen.
  void requestGraph() { Q_EMIT graphRequested(); }

 Q_SIGNALS:
  void changed();
  void centreRequested();
  void openingRequested();
  void graphRequested();
  /// canGoBack() or canGoForward() may have changed.
  void historyChanged();

 private:
  void goTo(std::size_t position);

  Selected m_current;
  std::vector<Selected> m_history{Selected{}};
  std::size_t m_position = 0;
};

}  // namespace quantscope
