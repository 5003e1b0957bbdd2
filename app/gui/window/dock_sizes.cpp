#include "dock_sizes.h"

#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMainWindow>
#include <QSettings>
#include <QTimer>
#include <algorithm>

namespace quantscope {
namespace {

const QString kSettings = QStringLiteral("window/panel-sizes/");

struct Share {
  const char* name;
  Qt::Orientation along;
  double ofWindow;
  int least;
  int most;
};

// Both sides together leave the middle 60 % of the width. One panel stands for those behind it.
constexpr Share kShares[] = {{"outline", Qt::Horizontal, 0.175, 180, 320},
                             {"inspector", Qt::Horizontal, 0.225, 260, 420},
                             {"findings", Qt::Vertical, 0.29, 140, 360}};

// A panel behind others has their size; one outside the window has its own.
bool hasPlace(const QDockWidget& dock) {
  return !dock.isHidden() && !dock.isFloating();
}

QDockWidget* placeOf(const QMainWindow& window, const Share& share) {
  auto* dock = window.findChild<QDockWidget*>(QString::fromLatin1(share.name));
  if (dock == nullptr) return nullptr;
  QList<QDockWidget*> candidates = {dock};
  candidates += window.tabifiedDockWidgets(dock);
  const auto found =
      std::ranges::find_if(candidates, [](const QDockWidget* one) { return hasPlace(*one); });
  return found == candidates.end() ? nullptr : *found;
}

}  // namespace

DockSizes::DockSizes(QMainWindow& window) : m_window(window) {
  window.installEventFilter(this);
}

int DockSizes::wanted(const QString& name) const {
  const auto chosen = m_chosen.find(name);
  if (chosen != m_chosen.end()) return chosen->second;
  const auto* share = std::ranges::find_if(
      kShares, [&name](const Share& one) { return name == QLatin1String(one.name); });
  const int whole = share->along == Qt::Horizontal ? m_window.width() : m_window.height();
  return std::clamp(static_cast<int>(whole * share->ofWindow), share->least, share->most);
}

void DockSizes::apply() {
  for (const Qt::Orientation along : {Qt::Horizontal, Qt::Vertical}) {
    QList<QDockWidget*> docks;
    QList<int> sizes;
    for (const Share& share : kShares) {
      QDockWidget* dock = share.along == along ? placeOf(m_window, share) : nullptr;
      if (dock == nullptr) continue;
      docks << dock;
      sizes << wanted(QString::fromLatin1(share.name));
    }
    if (!docks.isEmpty()) m_window.resizeDocks(docks, sizes, along);
  }
  m_window.layout()->activate();
}

void DockSizes::forget() {
  m_chosen.clear();
}

void DockSizes::restore(const QSettings& settings) {
  for (const Share& share : kShares) {
    const QString name = QString::fromLatin1(share.name);
    const int size = settings.value(kSettings + name).toInt();
    if (size > 0) m_chosen[name] = size;
  }
}

void DockSizes::save(QSettings& settings) const {
  settings.remove(kSettings.chopped(1));
  for (const auto& [name, size] : m_chosen) settings.setValue(kSettings + name, size);
}

std::map<QString, int> DockSizes::sizes() const {
  std::map<QString, int> sizes;
  for (const Share& share : kShares) {
    const QDockWidget* dock = placeOf(m_window, share);
    if (dock == nullptr || !dock->isVisible()) continue;
    sizes[QString::fromLatin1(share.name)] =
        share.along == Qt::Horizontal ? dock->width() : dock->height();
  }
  return sizes;
}

// Keeps the sizes that changed while the button was down: the user has dragged them.
void DockSizes::remember() {
  for (const auto& [name, size] : sizes()) {
    const auto before = m_pressed.find(name);
    if (before != m_pressed.end() && before->second != size) m_chosen[name] = size;
  }
  m_pressed.clear();
}

// Once the window has laid itself out.
void DockSizes::applySoon() {
  if (m_waiting) return;
  m_waiting = true;
  QTimer::singleShot(0, this, [this] {
    m_waiting = false;
    if (m_pressed.empty()) apply();
  });
}

// The edges between panels belong to the window itself.
bool DockSizes::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      m_pressed = sizes();
      break;
    case QEvent::MouseButtonRelease:
      QTimer::singleShot(0, this, &DockSizes::remember);
      break;
    case QEvent::Resize:
      applySoon();
      break;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace quantscope
