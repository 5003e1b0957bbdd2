#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace quantscope {

/// A row of joined buttons of which one is down.
class ModeSwitch : public QWidget {
  Q_OBJECT

 public:
  struct Mode {
    QString title;
    QString tip;
  };
  explicit ModeSwitch(const QList<Mode>& modes, QWidget* parent = nullptr);

  int current() const;
  void setCurrent(int mode);

 Q_SIGNALS:
  void changed(int mode);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void dress();

  QButtonGroup* m_buttons;
};

}  // namespace quantscope
