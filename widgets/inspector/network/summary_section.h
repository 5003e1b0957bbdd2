#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;

/// The facts about a selection that is no layer: the model, a scope or a value.
class SummarySection : public InspectorSection {
  Q_OBJECT

 public:
  explicit SummarySection(Selection* selection, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  Selection* m_selection;
  CellTable* m_facts;
  CellTable* m_readers;
  std::vector<Selected> m_targets;  // by row of m_readers
};

}  // namespace quantscope
