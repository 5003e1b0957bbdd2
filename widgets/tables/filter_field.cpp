#include "widgets/tables/filter_field.h"

#include "widgets/look/theme.h"

namespace quantscope {

FilterField::FilterField(QWidget* parent) : QLineEdit(parent) {
  setClearButtonEnabled(true);
  setPlaceholderText(tr("Filter: name, operator, type, sqnr<20"));
  setAccessibleName(tr("Filter layers"));
  setToolTip(LayerFilter::help());
}

LayerFilter FilterField::filter(ErrorKind kind) {
  LayerFilter filter(text(), kind);
  QPalette palette;
  if (!filter.problem().isEmpty()) palette.setColor(QPalette::Text, Theme::of(palette).critical);
  setPalette(palette);
  setToolTip(filter.problem().isEmpty()
                 ? LayerFilter::help()
                 : QStringLiteral("<p><b>%1</b></p>").arg(filter.problem().toHtmlEscaped()) +
                       LayerFilter::help());
  return filter;
}

}  // namespace quantscope
