#include "widgets/controls/range_fields.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <cmath>
#include <optional>

#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {

RangeFields::RangeFields(QWidget* parent)
    : QWidget(parent),
      m_low(makeField(tr("Lowest number of the range"))),
      m_high(makeField(tr("Highest number of the range"))),
      m_problem(new QLabel(this)) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 2, 0, 2);
  layout->setHorizontalSpacing(6);
  auto* title = new QLabel(tr("Range"), this);
  title->setForegroundRole(QPalette::PlaceholderText);
  layout->addWidget(title, 0, 0);
  layout->addWidget(m_low, 0, 1);
  layout->addWidget(new QLabel(QStringLiteral("…"), this), 0, 2);
  layout->addWidget(m_high, 0, 3);
  layout->addWidget(m_problem, 1, 0, 1, 4);
  m_problem->setWordWrap(true);
  m_problem->hide();
}

QLineEdit* RangeFields::makeField(const QString& name) {
  auto* field = new QLineEdit(this);
  field->setAccessibleName(name);
  field->setToolTip(tr("Enter sets the range of the output to these numbers."));
  field->setMinimumWidth(56);
  connect(field, &QLineEdit::returnPressed, this, &RangeFields::enter);
  connect(field, &QLineEdit::textEdited, this, [this] { refuse({}); });
  return field;
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
    if (ok && std::isfinite(number)) return std::optional(number);
    refuse(tr("“%1” is no number.").arg(field.text()));
    return std::optional<double>();
  };
  const std::optional<double> low = read(*m_low);
  const std::optional<double> high = low ? read(*m_high) : std::nullopt;
  if (!low || !high) return;
  if (!(*low < *high)) {
    return refuse(tr("A range begins below its end: %1 is not less than %2.")
                      .arg(shortText(*low), shortText(*high)));
  }
  m_low->setModified(false);
  m_high->setModified(false);
  Q_EMIT chosen(*low, *high);
}

}  // namespace quantscope
