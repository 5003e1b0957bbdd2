#pragma once

#include <QJsonObject>
#include <QObject>

#include "widgets/graph/drawing/drawing_options.h"

namespace quantscope {

class Comparison;
class Session;
class WindowLayout;
class WindowViews;

/// The state of a window that is kept with a project: places of panels, the front panel, selection
/// and comparison, and the visible part of the graph. The theme and the size of the window belong
/// to the user, not to a project.
class WindowState : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  WindowState(Session& session, WindowViews& views, WindowLayout& layout, Comparison& comparison,
              QObject* parent = nullptr);

  QByteArray save() const;
  /// Parts that need a model are restored once it is on screen. Foreign text changes nothing.
  void restore(const QByteArray& state);
  /// Drops the parts not restored yet, and what names layers: their model is gone.
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
