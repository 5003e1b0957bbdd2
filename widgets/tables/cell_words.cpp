#include "widgets/tables/cell_words.h"

#include "base/number_text.h"
#include "widgets/look/text.h"

namespace quantscope {

QString cellWords(const QVariant& raw) {
  if (!raw.isValid()) return QStringLiteral("–");
  if (raw.typeId() == QMetaType::Double) return shortText(raw.toDouble());
  if (raw.typeId() == QMetaType::LongLong) return text(grouped(raw.toULongLong()));
  return raw.toString();
}

}  // namespace quantscope
