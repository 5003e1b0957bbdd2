#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;

/// The values that could not be computed, and why.
class NotComputedSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit NotComputedSection(Selection* selection, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  Selection* m_selection;
  CellTable* m_table;
  QLabel* m_rest;
};

}  // namespace quantscope
