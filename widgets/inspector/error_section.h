#pragma once

#include "widgets/inspector/inspector_section.h"

namespace quantscope {

class CellTable;

/// The errors of a layer in every metric, local and accumulated side by side, and in words.
class ErrorSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit ErrorSection(QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  QLabel* m_sentence;
  CellTable* m_table;
  QLabel* m_clipping;
};

}  // namespace quantscope
