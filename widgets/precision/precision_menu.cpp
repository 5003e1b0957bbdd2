#include "widgets/precision/precision_menu.h"

#include <QAction>

#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/gain_words.h"
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

void addType(QMenu& menu, PrecisionEditor& editor, std::size_t place, const QString& key) {
  const TypeOffer& offer = editor.selected().offers[place];
  QAction* action = menu.addAction(QString());
  action->setCheckable(true);
  action->setChecked(editor.selected().common() == &offer);
  action->setEnabled(offer.able > 0);
  QObject::connect(action, &QAction::triggered, &editor,
                   [&editor, type = offer.type] { editor.setType(type); });
  const auto show = [action, &editor, place, key, type = offer.type,
                     tip = typeTip(offer, editor.selected().layers.size())] {
    const ConfigGains& gains = editor.gains();
    const std::optional<ConfigGain> gain = place < gains.size() ? gains[place] : std::nullopt;
    QString title = typeTitle(type);
    if (gain) {
      for (const QString& words : {gainWords(*gain), bytesWords(*gain)}) {
        if (!words.isEmpty()) title += QStringLiteral("  ") + words;
      }
    }
    action->setText(key.isEmpty() ? title : title + u'\t' + key);
    action->setToolTip(gain ? tip + u'\n' + gainSentence(*gain) : tip);
  };
  show();
  QObject::connect(&editor, &PrecisionEditor::gainsChanged, action, show);
}

void addTypes(QMenu& menu, PrecisionEditor& editor) {
  for (std::size_t place = 0; place < editor.selected().offers.size(); ++place) {
    // Only shown: the window has the key itself.
    addType(menu, editor, place, place < 4 ? QString::number(place + 1) : QString());
    if (place == 3) menu.addSeparator();
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
