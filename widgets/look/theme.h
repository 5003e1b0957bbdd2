#pragma once

#include <QColor>
#include <QPalette>

#include "quant/quant_type.h"

namespace quantscope {

/// The colours of the window. Neutral greys and one accent for controls; colour carries meaning
/// only for error (see ErrorScale), precision type and severity. Text keeps a contrast of 4.5 : 1
/// on the surfaces that it stands on.
struct Theme {
  bool dark = false;
  QColor window;     ///< behind everything
  QColor surface;    ///< tables, drawings, fields
  QColor raised;     ///< cards and boxes on a surface
  QColor border;     ///< hairlines
  QColor text;       ///< on window, surface and raised
  QColor mutedText;  ///< second to it: units, captions
  QColor accent;     ///< selection, links, focus
  QColor onAccent;   ///< text on it
  QColor edge;       ///< connections of the graph
  QColor info;       ///< severities
  QColor warning;
  QColor critical;
  QColor hatch;  ///< lines of the hatched ("not quantized") and dotted ("not computed") patterns

  static const Theme& day();
  static const Theme& night();
  /// The one that `palette` was made from, or the one that fits it best.
  static const Theme& of(const QPalette& palette);

  QPalette palette() const;
  /// Behind selected items on a surface: the accent, thinned.
  QColor selected() const;
  /// The colour of a precision type, one for each family, width and sign, 3 : 1 at least on window,
  /// surface and raised; beside it always stands the type's name or a pattern.
  QColor precision(QuantType type) const;
};

/// The colour, thinned to that opacity, 0 … 1.
QColor faint(QColor colour, double opacity);

}  // namespace quantscope
