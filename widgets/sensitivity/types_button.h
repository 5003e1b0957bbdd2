#pragma once

#include <QToolButton>
#include <vector>

#include "precision/edits/type_choices.h"

namespace quantscope {

/// Chooses some types out of those that layers can be set to.
class TypesButton : public QToolButton {
  Q_OBJECT

 public:
  explicit TypesButton(QWidget* parent = nullptr);

  /// Types that no layer can take cannot be chosen, and say why; null = all can.
  void setChoices(const TypeChoices* choices);
  /// Those that are chosen and can be taken, in the order of wholeTypes().
  std::vector<QuantType> types() const;
  /// Those that are chosen, whether or not any layer of this model can take them.
  std::vector<QuantType> chosenTypes() const;
  void setTypes(const std::vector<QuantType>& types);

 Q_SIGNALS:
  /// By the user.
  void changed();

 private:
  void showTypes();

  std::vector<QAction*> m_actions;  // by place in wholeTypes()
  std::vector<bool> m_chosen;       // likewise, also of those that no layer can take
};

}  // namespace quantscope
