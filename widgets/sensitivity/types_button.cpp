#include "widgets/sensitivity/types_button.h"

#include <QAction>
#include <QMenu>
#include <algorithm>

#include "widgets/look/text.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// Why no layer can have a type; empty where one can.
QString refusalOf(const TypeChoices& choices, QuantType type) {
  QString why;
  for (std::size_t i = 0; i < choices.layerCount(); ++i) {
    const std::string& refusal = choices.refusal(i, type);
    if (refusal.empty()) return {};
    if (choices.typeOf(i)) why = text(refusal);
  }
  return why.isEmpty() ? TypesButton::tr("no layer can have this type") : why;
}

}  // namespace

TypesButton::TypesButton(QWidget* parent) : QToolButton(parent) {
  setPopupMode(InstantPopup);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(this);
  menu->setToolTipsVisible(true);
  for (const QuantType type : wholeTypes()) {
    QAction* action = menu->addAction(typeTitle(type));
    action->setCheckable(true);
    action->setToolTip(typeDefinition(type));
    connect(action, &QAction::triggered, this, [this, place = m_actions.size()](bool checked) {
      m_chosen[place] = checked;
      showTypes();
      Q_EMIT changed();
    });
    m_actions.push_back(action);
    m_chosen.push_back(false);
  }
  setMenu(menu);
  showTypes();
}

void TypesButton::setChoices(const TypeChoices* choices) {
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    const QuantType type = wholeTypes()[i];
    const QString refusal = choices != nullptr ? refusalOf(*choices, type) : QString();
    m_actions[i]->setEnabled(refusal.isEmpty());
    m_actions[i]->setToolTip(refusal.isEmpty() ? typeDefinition(type) : refusal);
  }
  showTypes();
}

std::vector<QuantType> TypesButton::types() const {
  std::vector<QuantType> types;
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    if (m_chosen[i] && m_actions[i]->isEnabled()) types.push_back(wholeTypes()[i]);
  }
  return types;
}

std::vector<QuantType> TypesButton::chosenTypes() const {
  std::vector<QuantType> types;
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    if (m_chosen[i]) types.push_back(wholeTypes()[i]);
  }
  return types;
}

void TypesButton::setTypes(const std::vector<QuantType>& types) {
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    m_chosen[i] = std::ranges::find(types, wholeTypes()[i]) != types.end();
  }
  showTypes();
}

void TypesButton::showTypes() {
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    m_actions[i]->setChecked(m_chosen[i] && m_actions[i]->isEnabled());
  }
  QStringList titles;
  for (const QuantType type : types()) titles << typeTitle(type);
  setText(titles.isEmpty() ? tr("Choose types") : titles.join(QStringLiteral(", ")));
}

}  // namespace quantscope
