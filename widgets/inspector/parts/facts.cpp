#include "widgets/inspector/parts/facts.h"

#include "base/number_text.h"
#include "widgets/look/text.h"

namespace quantscope {

Facts::Facts() {
  m_table.headers = {QString(), QString()};
}

void Facts::add(const QString& what, const QString& value, const QString& tip) {
  if (!value.isEmpty()) add(what, textCell(value, tip.isEmpty() ? value : tip));
}

void Facts::add(const QString& what, std::size_t count, const QString& tip) {
  add(what, text(grouped(count)), tip);
}

void Facts::add(const QString& what, Cell value) {
  value.number = true;
  const QString tip = value.toolTip == value.text ? QString() : value.toolTip;
  m_table.rows.push_back({mutedCell(what, tip), std::move(value)});
}

}  // namespace quantscope
