#pragma once

#include <QByteArray>

#include "dock_sizes.h"

class QMainWindow;
class QSettings;

namespace quantscope {

/// Where the panels of a window are: remembered from one time to the next, reset on demand, and
/// put aside while the start page is shown.
class WindowLayout {
 public:
  /// Once all panels are where they belong at first.
  explicit WindowLayout(QMainWindow& window);

  void restore();
  void save() const;
  void reset();
  /// Where the panels are now, and there again; false where that is no such state.
  QByteArray panels() const;
  bool setPanels(const QByteArray& panels);
  /// Shows the panels and toolbars, or only the start page.
  void showWorkbench(bool shown);

 private:
  void hideAll();

  QMainWindow& m_window;
  DockSizes m_sizes;
  QByteArray m_first;
  QByteArray m_workbench;
  bool m_shown = true;
};

}  // namespace quantscope
