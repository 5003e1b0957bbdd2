#include "widgets/precision/precision_menu.h"

#include <QAction>

#include "widgets/look/text.h"
#include "widgets/look/translate.h"
#include "widgets/precision/tensor_menu.h"
#include "widgets/words/configuration_words.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

using GainsOf = const ConfigGains& (PrecisionEditor::*)() const;

// The gain of the type in that place stands behind its title as soon as it is known.
void followGain(QAction& action, PrecisionEditor& editor, GainsOf gainsOf, std::size_t place,
                const QString& tip, const QString& key) {
  const auto show = [&action, &editor, gainsOf, place, tip, key,
                     name = typeTitle(wholeTypes()[place])] {
    const ConfigGains& gains = (editor.*gainsOf)();
    const std::optional<ConfigGain> gain = place < gains.size() ? gains[place] : std::nullopt;
    QString title = name;
    if (gain) {
      for (const QString& words : {gainWords(*gain), bytesWords(*gain)}) {
        if (!words.isEmpty()) title += QStringLiteral("  ") + words;
      }
    }
    action.setText(key.isEmpty() ? title : title + u'\t' + key);
    action.setToolTip(gain ? tip + u'\n' + gainSentence(*gain) : tip);
  };
  show();
  QObject::connect(&editor, &PrecisionEditor::gainsChanged, &action, show);
}

void addOperatorTypes(QMenu& menu, PrecisionEditor& editor) {
  const std::optional<PrecisionTarget> target = editor.commonOperator();
  if (!target) return;
  QMenu* all = menu.addMenu(tr("Every %1").arg(menuText(text(target->names.front()))));
  all->setToolTipsVisible(true);
  const std::size_t layers = editor.choices()->layersOf(*target).size();
  const std::vector<TypeOffer> offers = editor.offersFor(*target);
  for (std::size_t place = 0; place < offers.size(); ++place) {
    QAction* action = all->addAction(QString());
    action->setEnabled(offers[place].able > 0);
    followGain(*action, editor, &PrecisionEditor::operatorGains, place,
               typeTip(offers[place], layers), {});
    QObject::connect(
        action, &QAction::triggered, &editor,
        [&editor, target = *target, type = offers[place].type] { editor.setTypeOf(target, type); });
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
  const SelectedPrecision& selected = editor.selected();
  const TypeOffer& offer = selected.offers[place];
  QAction* action = menu.addAction(QString());
  action->setCheckable(true);
  action->setChecked(selected.common() == &offer);
  action->setEnabled(offer.able > 0);
  followGain(*action, editor, &PrecisionEditor::gains, place,
             typeTip(offer, selected.layers.size()), key);
  QObject::connect(action, &QAction::triggered, &editor,
                   [&editor, type = offer.type] { editor.setType(type); });
}

void addTypes(QMenu& menu, PrecisionEditor& editor) {
  for (std::size_t place = 0; place < editor.selected().offers.size(); ++place) {
    // Only shown: the window has the key itself.
    addType(menu, editor, place, place < kFrontTypes ? QString::number(place + 1) : QString());
    if (place + 1 == kFrontTypes) menu.addSeparator();
  }
}

void addPrecisionMenu(QMenu& menu, PrecisionEditor* editor) {
  if (editor == nullptr || editor->selected().empty()) return;
  const std::optional<PrecisionTarget>& rule = editor->selected().rule;
  QMenu* inner = menu.addMenu(rule ? tr("&Precision of %1").arg(menuText(text(describe(*rule))))
                                   : tr("&Precision"));
  inner->setToolTipsVisible(true);
  addTypes(*inner, *editor);
  inner->addSeparator();
  addTensorMenus(*inner, *editor);
  inner->addSeparator();
  QAction* reset =
      inner->addAction(tr("&Reset") + QStringLiteral("\t0"), editor, &PrecisionEditor::reset);
  reset->setEnabled(editor->selected().resettable);
  reset->setToolTip(
      tr("Removes what is set for it alone, so that the rules and the default hold."));
  inner->addAction(tr("&Copy Precision"), editor, &PrecisionEditor::copy);
  inner->addAction(tr("P&aste Precision"), editor, &PrecisionEditor::paste);
  addOperatorTypes(*inner, *editor);
}

}  // namespace quantscope
