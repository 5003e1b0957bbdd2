#pragma once

#include <QMenu>

#include "widgets/view/precision_editor.h"

namespace quantscope {

/// A submenu «Precision» for what is selected, with the types that it can be set to, and those for
/// all nodes of its operator type; nothing where there is nothing to set. The editor may be null.
void addPrecisionMenu(QMenu& menu, PrecisionEditor* editor);

/// An entry for the offer in that place of what is selected, with its gain at the worst output and
/// its bytes as soon as they are known, and with the name of its key.
void addType(QMenu& menu, PrecisionEditor& editor, std::size_t place, const QString& key);

/// The types alone, as they stand in that submenu.
void addTypes(QMenu& menu, PrecisionEditor& editor);

/// "INT8"; the sentence that says what it is, and why it cannot be had.
QString typeTip(const TypeOffer& offer, std::size_t layers);

}  // namespace quantscope
