#pragma once

#include <QLineEdit>

#include "widgets/tables/layer_filter.h"

namespace quantscope {

/// A field that filters layers by words and figures; says what it does not understand.
class FilterField : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterField(QWidget* parent = nullptr);

  /// Reads what is typed; see LayerFilter.
  LayerFilter filter(ErrorKind kind);
};

}  // namespace quantscope
