#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace quantscope {

/// Something to tell the user without stopping them.
struct Message {
  enum class Severity { Info, Warning, Error };
  /// A button that remedies the subject of the message.
  struct Remedy {
    QString title;
    std::function<void()> run;
  };

  Severity severity = Severity::Info;
  QString sentence = {};
  QString hint = {};     ///< remedy; may be empty
  QString details = {};  ///< for copying; empty = sentence and hint
  std::vector<Remedy> remedies = {};
  QString topic = {};    ///< a message replaces the one of the same topic before it
  bool passing = false;  ///< goes by itself after a while
};

/// The messages of a window, one line each, newest on top. At most three are seen at once, the
/// others wait.
class MessageBar : public QWidget {
  Q_OBJECT

 public:
  explicit MessageBar(QWidget* parent = nullptr);

  /// Lies over the lower edge of `view` from now on, as wide as it is: nothing moves because a
  /// message comes or goes.
  void layOver(QWidget* view);

  void tell(const Message& message);
  /// Takes the message of that topic away, if there is one.
  void dismiss(const QString& topic);
  void dismissAll();
  /// What the message of that topic says now beside its sentence: the progress of what it waits
  /// for.
  void setHint(const QString& topic, const QString& hint);
  /// Newest first, those that wait too.
  std::vector<Message> messages() const;

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 Q_SIGNALS:
  /// Emitted for the log.
  void told(const quantscope::Message& message);
  /// The message that had the focus is gone.
  void focusLeft();

 private:
  class Row;
  std::vector<Row*>::iterator find(const QString& topic);
  void remove(Row* row);
  void showFirst();
  void place();

  QVBoxLayout* m_layout;
  QWidget* m_view = nullptr;  ///< that it lies over; null = a layout places it
  std::vector<Row*> m_rows;   // newest first
};

}  // namespace quantscope
