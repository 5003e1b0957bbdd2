#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;

/// The errors at the outputs of the model.
class OutputsSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit OutputsSection(QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  void showLadder();

  CellTable* m_errors;
  CellTable* m_scores;
  CellTable* m_ladder;
};

}  // namespace quantscope
