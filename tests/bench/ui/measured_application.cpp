#include "bench/ui/measured_application.h"

#include <QAbstractEventDispatcher>
#include <algorithm>
#include <utility>

namespace quantscope::bench {
MeasuredApplication::MeasuredApplication(int& argc, char** argv) : QApplication(argc, argv) {
  m_clock.start();
  const auto look = [this] { m_looked = true; };
  connect(eventDispatcher(), &QAbstractEventDispatcher::aboutToBlock, this, look);
  connect(eventDispatcher(), &QAbstractEventDispatcher::awake, this, look);
}

MeasuredApplication& MeasuredApplication::instance() {
  return *static_cast<MeasuredApplication*>(QCoreApplication::instance());
}

double MeasuredApplication::takeLongestBusy() {
  return static_cast<double>(std::exchange(m_longest, 0)) / 1e6;
}

bool MeasuredApplication::notify(QObject* receiver, QEvent* event) {
  if (m_depth == 0 && std::exchange(m_looked, false)) m_begin = m_clock.nsecsElapsed();
  ++m_depth;
  const bool paints = event->type() == QEvent::UpdateRequest;
  const bool handled = QApplication::notify(receiver, event);
  --m_depth;
  if (m_depth == 0) m_longest = std::max(m_longest, m_clock.nsecsElapsed() - m_begin);
  if (paints) Q_EMIT painted();
  return handled;
}

}  // namespace quantscope::bench
