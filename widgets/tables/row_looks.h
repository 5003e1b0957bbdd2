#pragma once

#include <QFontMetrics>
#include <QModelIndex>
#include <QRect>
#include <QString>
#include <string_view>

#include "widgets/look/error_scale.h"

class QAbstractItemView;
class QPainter;
class QStyleOptionViewItem;

namespace quantscope {

/// Background of a cell: a tint of the accent if it is selected, so that error colours on it do not
/// change.
void drawRowBackground(QPainter& painter, const QStyleOptionViewItem& option);

/// The same for the view's own painting of a selected row.
void useSelectionTint(QAbstractItemView& view);

/// Makes a row current and brings it into view, to the middle where it was out of it. The view
/// may not have its size yet: it scrolls when it has.
void revealRow(QAbstractItemView& view, const QModelIndex& index);

/// A figure as a bar: the longer and the hotter the worse. Without a value its pattern.
void drawErrorBar(QPainter& painter, const QRectF& area, const Figure& figure,
                  const ErrorScale& scale, const Theme& theme);

/// A layer's name as it is shown: where it stands, and the part that tells it from its
/// neighbours. An operator's name behind a scope of the same name is left out: "/stem/conv/Conv"
/// is "/" and "stem/conv".
struct NameParts {
  QString path;  ///< with the separator at its end; may be empty
  QString own;
};
NameParts nameParts(std::string_view name, std::string_view op);

/// Both parts, the path muted; elided at the left where there is no room.
void drawLayerName(QPainter& painter, const QRect& area, std::string_view name, std::string_view op,
                   const Theme& theme);

/// "Conv" of the operators of a layer, "Conv + BN + ReLU".
std::string_view leadingOp(std::string_view operators);

/// The operators of a layer where they fit into `width` pixels; else the one that leads them; empty
/// where that does not fit either.
QString operatorsFitting(std::string_view operators, const QFontMetrics& metrics, int width);

}  // namespace quantscope
