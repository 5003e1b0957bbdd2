#pragma once

#include <QWidget>

namespace quantscope::test {

/// The widget within another one that a screen reader calls so.
template <class Widget>
Widget* named(const QWidget& parent, const char* name) {
  for (Widget* widget : parent.findChildren<Widget*>()) {
    if (widget->accessibleName() == QLatin1String(name)) return widget;
  }
  qFatal("there is no %s", name);
}

}  // namespace quantscope::test
