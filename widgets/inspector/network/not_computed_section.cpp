#include "widgets/inspector/network/not_computed_section.h"

#include <QLabel>
#include <QVBoxLayout>

#include "widgets/inspector/parts/cell_table.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kMost = 12;

}  // namespace

NotComputedSection::NotComputedSection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("not_computed"), tr("Not computed"), parent),
      m_selection(selection),
      m_table(new CellTable(tr("Not computed"), this)),
      m_rest(wordLabel(this, true)) {
  body()->addWidget(m_table);
  body()->addWidget(m_rest);
  m_table->setRowsActive(true);
  connect(m_table, &CellTable::rowActivated, this, [this](int row) {
    const NotComputed& entry = subject().result().notComputed[static_cast<std::size_t>(row)];
    const NodeId node = subject().graph().findNode(entry.node);
    if (node.valid()) m_selection->select(selectionOf(subject(), node));
  });
}

bool NotComputedSection::appliesTo(const InspectorSubject& subject) const {
  return subject.kind == InspectorSubject::Kind::Model && subject.sampled() &&
         !subject.result().notComputed.empty();
}

void NotComputedSection::refresh() {
  const std::vector<NotComputed>& all = subject().result().notComputed;
  CellTableContent table;
  table.headers = {tr("Operator"), tr("Why")};
  for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i) {
    const QString tip = text(all[i].node) + u'\n' + text(all[i].reason);
    table.rows.push_back({linkCell(text(all[i].op), tip), mutedCell(text(all[i].reason), tip)});
  }
  setNote(QString::number(all.size()));
  m_table->setContent(std::move(table), 1);
  setWords(m_rest, all.size() > kMost ? tr("and %1 more").arg(all.size() - kMost) : QString());
}

QString NotComputedSection::asText() const {
  QString lines;
  for (const NotComputed& entry : subject().result().notComputed) {
    lines += text(entry.node) + u'\t' + text(entry.op) + u'\t' + text(entry.reason) + u'\n';
  }
  return lines;
}

}  // namespace quantscope
