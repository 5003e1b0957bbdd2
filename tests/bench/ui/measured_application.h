#pragma once

#include <QApplication>
#include <QElapsedTimer>

namespace quantscope::bench {

/// An application that knows how long its window was busy at a time: handling events, until it
/// looked for input again. A window that waits for events is not busy.
class MeasuredApplication : public QApplication {
  Q_OBJECT

 public:
  MeasuredApplication(int& argc, char** argv);

  static MeasuredApplication& instance();

  /// In milliseconds, since it was asked before.
  double takeLongestBusy();

  bool notify(QObject* receiver, QEvent* event) override;

 Q_SIGNALS:
  /// A window has painted all that had changed.
  void painted();

 private:
  QElapsedTimer m_clock;
  int m_depth = 0;  // events that are handled within events
  bool m_looked = true;
  qint64 m_begin = 0;
  qint64 m_longest = 0;
};

}  // namespace quantscope::bench
