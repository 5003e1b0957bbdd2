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

/// Lets the wheel scroll the panel unless the field has the focus, so that scrolling past a field
/// does not change it.
void ignoreWheelWithoutFocus(QWidget* field);

/// A row whose label and field explain themselves in `tip`, to a screen reader too. `subject` goes
/// before the label there: "weights Type".
void addField(QFormLayout* layout, const QString& subject, const QString& label, QWidget* field,
              const QString& tip);

}  // namespace quantscope
