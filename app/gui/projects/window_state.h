#pragma once

#include <QJsonObject>
#include <QObject>

#include "widgets/graph/drawing/drawing_options.h"

namespace quantscope {

class Comparison;
class Session;
class WindowLayout;
class WindowViews;

/// What a window remembers with a project: where its panels are, what is in front, selected and
/// compared, and which part of the graph is in sight. The theme and the size of the window are the
/// user's, whatever project is open.
class WindowState : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  WindowState(Session& session, WindowViews& views, WindowLayout& layout, Comparison& comparison,
              QObject* parent = nullptr);

  QByteArray save() const;
  /// What needs a model follows as soon as that is on screen. Foreign text changes nothing.
  void restore(const QByteArray& state);
  /// What was still to be restored belongs to a model that is gone.
  void forget();

 Q_SIGNALS:
  /// save() may be different.
  void changed();

 private:
  QJsonObject saveDrawing() const;
  void restoreOptions(const QJsonObject& options);
  void restoreSelection();
  void restoreDrawing();
  DrawingOptions drawingFrom(const QJsonObject& drawing) const;

  Session& m_session;
  WindowViews& m_views;
  WindowLayout& m_layout;
  Comparison& m_comparison;
  QJsonObject m_selection;  // these are to be restored, empty = no more
  QJsonObject m_drawing;
  bool m_laidOut = false;  // as m_drawing wants it
};

}  // namespace quantscope
