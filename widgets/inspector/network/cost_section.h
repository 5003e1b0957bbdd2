#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class CellTable;

/// What the model costs as it is quantized: types, bits, bytes and multiply-accumulates.
class CostSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit CostSection(QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  CellTable* m_facts;
};

}  // namespace quantscope
