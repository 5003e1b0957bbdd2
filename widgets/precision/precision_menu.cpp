#include "widgets/precision/precision_menu.h"

#include <QAction>

#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/translate.h"

namespace quantscope {
namespace {

// The operator that all selected layers have; empty where they differ.
QString commonOperator(const PrecisionEditor& editor) {
  const TypeChoices& choices = *editor.choices();
  QString common;
  for (const std::size_t layer : editor.selected().layers) {
    const QString op = text(choices.operatorOf(layer));
    if (!common.isEmpty() && op != common) return {};
    common = op;
  }
  return common;
}

void addOperatorTypes(QMenu& menu, PrecisionEditor& editor) {
  const QString op = commonOperator(editor);
  if (op.isEmpty()) return;
  QMenu* all = menu.addMenu(tr("Every %1").arg(op));
  all->setToolTipsVisible(true);
  const PrecisionTarget target{PrecisionTarget::Kind::OpType, {op.toStdString()}};
  const std::size_t layers = editor.choices()->layersOf(target).size();
  for (const TypeOffer& offer : editor.offersFor(target)) {
    QAction* action = all->addAction(typeTitle(offer.type));
    action->setEnabled(offer.able > 0);
    action->setToolTip(typeTip(offer, layers));
    QObject::connect(action, &QAction::triggered, &editor,
                     [&editor, target, type = offer.type] { editor.setTypeOf(target, type); });
  }
}

}  // namespace

QString typeTip(const TypeOffer& offer, std::size_t layers) {
  QString tip = typeDefinition(offer.type);
  if (offer.able == 0) return tip + u'\n' + offer.refusal + u'.';
  if (offer.able < layers) {
    tip +=
        u'\n' + tr("Sets %1 of the %2 layers: %3.").arg(offer.able).arg(layers).arg(offer.refusal);
  }
  return tip;
}

void addTypes(QMenu& menu, PrecisionEditor& editor) {
  const SelectedPrecision& selected = editor.selected();
  const TypeOffer* common = selected.common();
  int key = 0;
  for (const TypeOffer& offer : selected.offers) {
    ++key;
    // Only shown: the window has the key itself.
    const QString title =
        typeTitle(offer.type) + (key <= 4 ? u'\t' + QString::number(key) : QString());
    QAction* action = menu.addAction(title);
    action->setCheckable(true);
    action->setChecked(common == &offer);
    action->setEnabled(offer.able > 0);
    action->setToolTip(typeTip(offer, selected.layers.size()));
    QObject::connect(action, &QAction::triggered, &editor,
                     [&editor, type = offer.type] { editor.setType(type); });
    if (key == 4) menu.addSeparator();
  }
}

void addPrecisionMenu(QMenu& menu, PrecisionEditor* editor) {
  if (editor == nullptr || editor->selected().empty()) return;
  QMenu* inner = menu.addMenu(tr("&Precision"));
  inner->setToolTipsVisible(true);
  addTypes(*inner, *editor);
  inner->addSeparator();
  QAction* reset =
      inner->addAction(tr("&Reset") + QStringLiteral("\t0"), editor, &PrecisionEditor::reset);
  reset->setEnabled(editor->selected().overridden > 0);
  reset->setToolTip(
      tr("Removes what is set for it alone, so that the rules and the default hold."));
  inner->addAction(tr("&Copy Precision"), editor, &PrecisionEditor::copy);
  inner->addAction(tr("P&aste Precision"), editor, &PrecisionEditor::paste);
  addOperatorTypes(*inner, *editor);
}

}  // namespace quantscope
