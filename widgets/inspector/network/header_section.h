#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class Chip;
class ElidedLabel;

/// The selection: its title, name and scope, and its quantized types.
class HeaderSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit HeaderSection(QWidget* parent = nullptr);
  QString asText() const override;
  /// "Conv + BN + Clip · /stem/conv/Conv"
  QString heading() const;
  /// Puts a widget between the name and the quantized types.
  void insertBelowName(QWidget* widget);

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  void showChips();

  QLabel* m_title;
  ElidedLabel* m_name;
  ElidedLabel* m_scope;
  QWidget* m_chipBox;
  QList<Chip*> m_chips;
  QLabel* m_rule;
  QLabel* m_note;
};

}  // namespace quantscope
