#pragma once

#include <QString>

class QComboBox;
class QFormLayout;
class QWidget;

namespace quantscope {

/// Margins and widths that all forms of the panel share, so that their fields line up.
void dressForm(QFormLayout* layout);

/// A box that is as wide as the form, however long its items are.
QComboBox* makeChoice();

/// What an item of a box says on hover. Where there is a reason against it, that is said too, and
/// it cannot be chosen.
void setChoice(QComboBox& box, int item, const QString& tip, const QString& refusal);

/// Lets the wheel scroll the panel unless the field has the focus: nobody means to change a
/// configuration while scrolling past it.
void ignoreWheelWithoutFocus(QWidget* field);

/// A row whose label and field explain themselves in `tip`, to a screen reader too. `subject` goes
/// before the label there: "weights Type".
void addField(QFormLayout* layout, const QString& subject, const QString& label, QWidget* field,
              const QString& tip);

}  // namespace quantscope
