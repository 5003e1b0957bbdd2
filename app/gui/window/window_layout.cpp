#include "window_layout.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>
#include <QToolBar>

#include "settings.h"

namespace quantscope {
namespace {

// Another one forgets layouts of panels that there are no more, or that had other corners.
constexpr int kVersion = 6;
const QString kGeometry = QStringLiteral("window/geometry");
const QString kPanels = QStringLiteral("window/panels");

}  // namespace

WindowLayout::WindowLayout(QMainWindow& window)
    : m_window(window),
      m_sizes(window),
      m_first(window.saveState(kVersion)),
      m_workbench(m_first) {}

void WindowLayout::restore() {
  const QSettings settings = openSettings();
  m_window.restoreGeometry(settings.value(kGeometry).toByteArray());
  m_sizes.restore(settings);
  const QByteArray panels = settings.value(kPanels).toByteArray();
  if (panels.isEmpty()) return;
  m_workbench = panels;
  if (m_shown && !m_window.restoreState(panels, kVersion)) m_workbench = m_first;
}

void WindowLayout::save() const {
  QSettings settings = openSettings();
  settings.setValue(kGeometry, m_window.saveGeometry());
  m_sizes.save(settings);
  settings.setValue(kPanels, panels());
}

QByteArray WindowLayout::panels() const {
  return m_shown ? m_window.saveState(kVersion) : m_workbench;
}

bool WindowLayout::setPanels(const QByteArray& panels) {
  if (!m_shown || !m_window.restoreState(panels, kVersion)) return false;
  m_workbench = panels;
  return true;
}

void WindowLayout::reset() {
  m_sizes.forget();
  m_workbench = m_first;
  if (!m_shown) return;
  m_window.restoreState(m_first, kVersion);
  m_sizes.apply();
}

void WindowLayout::showWorkbench(bool shown) {
  if (shown == m_shown) return;
  m_shown = shown;
  if (shown) {
    if (!m_window.restoreState(m_workbench, kVersion)) m_window.restoreState(m_first, kVersion);
    m_sizes.apply();
  } else {
    m_workbench = m_window.saveState(kVersion);
    hideAll();
  }
  // The tabs of hidden panels are still there: the focus would go to them unseen.
  const auto tabs = m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
  for (QTabBar* each : tabs) each->setFocusPolicy(shown ? Qt::TabFocus : Qt::NoFocus);
}

void WindowLayout::hideAll() {
  for (QDockWidget* dock : m_window.findChildren<QDockWidget*>()) dock->hide();
  for (QToolBar* bar : m_window.findChildren<QToolBar*>()) bar->hide();
}

}  // namespace quantscope
