#pragma once

#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope {

class BudgetBar;
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
  void showCauses();
  QString reasonInTheWeights();

  QLabel* m_sentence;
  QLabel* m_against;
  QLabel* m_attribution;
  QLabel* m_cause;
  BudgetBar* m_budget;
  QLabel* m_reason;
  CellTable* m_table;
  QLabel* m_clipping;
  // The model and layer that the reason was computed for.
  std::shared_ptr<const QuantizedModel> m_model;
  std::size_t m_layer = 0;
  QString m_found;
};

}  // namespace quantscope
