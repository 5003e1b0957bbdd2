#include "widgets/controls/range_fields.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <cmath>
#include <optional>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

RangeFields::RangeFields(const QString& subject, QWidget* parent)
    : QWidget(parent),
      m_low(makeField(tr("Lowest number of the range of the %1").arg(subject),
                      tr("Enter sets the range of the %1 to these numbers.").arg(subject))),
      m_high(makeField(tr("Highest number of the range of the %1").arg(subject), m_low->toolTip())),
      m_clear(new QToolButton(this)),
      m_problem(new QLabel(this)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(6);
  layout->setVerticalSpacing(4);
  layout->addWidget(m_low, 0, 0);
  layout->addWidget(new QLabel(QStringLiteral("…"), this), 0, 1);
  layout->addWidget(m_high, 0, 2);
  layout->addWidget(m_clear, 1, 0, 1, 3, Qt::AlignLeft);
  layout->addWidget(m_problem, 2, 0, 1, 3);
  m_clear->setText(tr("From the observer"));
  m_clear->setToolTip(tr("Takes back what was set by hand: the observer finds the range."));
  m_clear->setAccessibleName(tr("Range of the %1 from the observer").arg(subject));
  m_clear->setAutoRaise(true);
  connect(m_clear, &QAbstractButton::clicked, this, &RangeFields::cleared);
  setByHand(false);
  m_problem->setWordWrap(true);
  m_problem->hide();
  setFocusProxy(m_low);
}

QLineEdit* RangeFields::makeField(const QString& name, const QString& tip) {
  auto* field = new QLineEdit(this);
  field->setAccessibleName(name);
  field->setToolTip(tip);
  field->setMinimumWidth(56);
  connect(field, &QLineEdit::returnPressed, this, &RangeFields::enter);
  connect(field, &QLineEdit::textEdited, this, [this] { refuse({}); });
  return field;
}

void RangeFields::setUnknown() {
  for (QLineEdit* field : {m_low, m_high}) {
    if (!(field->hasFocus() && field->isModified())) field->clear();
    field->setPlaceholderText(tr("observed"));
  }
  refuse({});
}

void RangeFields::setByHand(bool byHand) {
  m_clear->setVisible(byHand);
}

void RangeFields::setRange(double low, double high) {
  const auto set = [](QLineEdit& field, double number) {
    if (field.hasFocus() && field.isModified()) return;
    field.setText(QString::number(number, 'g', 6));
  };
  set(*m_low, low);
  set(*m_high, high);
  refuse({});
}

QString RangeFields::problem() const {
  return m_problem->isHidden() ? QString() : m_problem->text();
}

void RangeFields::refuse(const QString& sentence) {
  QPalette palette = this->palette();
  palette.setColor(QPalette::WindowText, Theme::of(palette).critical);
  m_problem->setPalette(palette);
  m_problem->setText(sentence);
  m_problem->setVisible(!sentence.isEmpty());
}

void RangeFields::enter() {
  const auto read = [this](const QLineEdit& field) {
    bool ok = false;
    const double number = field.text().trimmed().toDouble(&ok);
    if (ok && std::isfinite(static_cast<float>(number))) return std::optional(number);
    refuse(tr("“%1” is no number.").arg(field.text()));
    return std::optional<double>();
  };
  const std::optional<double> low = read(*m_low);
  const std::optional<double> high = low ? read(*m_high) : std::nullopt;
  if (!low || !high) return;
  // As they are kept: two numbers may be one as float32.
  if (!(static_cast<float>(*low) < static_cast<float>(*high))) {
    return refuse(tr("A range begins below its end: %1 is not less than %2.")
                      .arg(shortText(*low), shortText(*high)));
  }
  m_low->setModified(false);
  m_high->setModified(false);
  Q_EMIT chosen(*low, *high);
}

}  // namespace quantscope
