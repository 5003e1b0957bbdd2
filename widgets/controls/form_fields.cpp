#include "widgets/controls/form_fields.h"

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QStandardItemModel>

namespace quantscope {
namespace {

constexpr int kLabelWidth = 88;

class WheelFilter : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override {
    const auto* field = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || field == nullptr || field->hasFocus()) return false;
    event->ignore();
    return true;
  }
};

}  // namespace

void dressForm(QFormLayout* layout) {
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setHorizontalSpacing(8);
  layout->setVerticalSpacing(8);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

QComboBox* makeChoice() {
  auto* box = new QComboBox;
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(8);
  box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  return box;
}

void setChoice(QComboBox& box, int item, const QString& tip, const QString& refusal) {
  box.setItemData(item, refusal.isEmpty() ? tip : tip + u'\n' + refusal + u'.', Qt::ToolTipRole);
  auto* items = qobject_cast<QStandardItemModel*>(box.model());
  if (items != nullptr) items->item(item)->setEnabled(refusal.isEmpty());
}

void ignoreWheelWithoutFocus(QWidget* field) {
  field->setFocusPolicy(Qt::StrongFocus);
  field->installEventFilter(new WheelFilter(field));
}

void addField(QFormLayout* layout, const QString& subject, const QString& label, QWidget* field,
              const QString& tip) {
  auto* caption = new QLabel(label);
  caption->setMinimumWidth(kLabelWidth);
  caption->setBuddy(field);
  caption->setToolTip(tip);
  field->setToolTip(tip);
  field->setAccessibleName(subject.isEmpty() ? label : subject + u' ' + label);
  field->setAccessibleDescription(tip);
  if (field->focusPolicy() != Qt::NoFocus) ignoreWheelWithoutFocus(field);
  layout->addRow(caption, field);
}

}  // namespace quantscope
