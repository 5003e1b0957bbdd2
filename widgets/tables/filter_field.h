#pragma once

#include <QLineEdit>

#include "widgets/tables/layer_filter.h"

namespace quantscope {

/// A field that filters layers by words and figures; reports text that it does not understand.
class FilterField : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterField(QWidget* parent = nullptr);

  /// The filter of the typed text; see LayerFilter.
  LayerFilter filter(ErrorKind kind);
};

}  // namespace quantscope
