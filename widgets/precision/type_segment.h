#pragma once

#include <QAbstractButton>
#include <optional>

#include "quant/quant_type.h"

namespace quantscope {

/// A type as a segment: its name with a line in its colour, and below what it would gain and cost.
class TypeSegment : public QAbstractButton {
  Q_OBJECT

 public:
  enum class State {
    Off,
    Some,  ///< of several layers
    On,
  };

  explicit TypeSegment(QWidget* parent = nullptr);

  /// None: no type, as of the one that opens the list of the rest.
  void setType(std::optional<QuantType> type);
  void setState(State state);
  State state() const { return m_state; }
  /// "+12.3 dB" and "+0.4 kB"; a quiet one is only estimated.
  void setNotes(const QString& gain, const QString& bytes, bool quiet);
  const QString& gain() const { return m_gain; }
  const QString& bytes() const { return m_bytes; }
  /// Room for the notes, whether there are any yet or not.
  void setRoomForNotes(bool room);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont noteFont() const;

  std::optional<QuantType> m_type;
  State m_state = State::Off;
  QString m_gain;
  QString m_bytes;
  bool m_quiet = false;
  bool m_room = false;
};

}  // namespace quantscope
