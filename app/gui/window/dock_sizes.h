#pragma once

#include <QObject>
#include <map>

class QMainWindow;
class QSettings;

namespace quantscope {

/// The sizes of panels: a share of the window until the user drags an edge, from then on the user's
/// size. Panels regain it after the window was too small for them.
class DockSizes : public QObject {
  Q_OBJECT

 public:
  explicit DockSizes(QMainWindow& window);

  /// Gives the panels the sizes that they should have, as far as there is room.
  void apply();
  void forget();
  void restore(const QSettings& settings);
  void save(QSettings& settings) const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  int wanted(const QString& name) const;
  std::map<QString, int> sizes() const;
  void remember();
  void applySoon();

  QMainWindow& m_window;
  std::map<QString, int> m_chosen;
  std::map<QString, int> m_pressed;  // the sizes when a mouse button went down
  bool m_waiting = false;
};

}  // namespace quantscope
