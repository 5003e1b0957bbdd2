#pragma once

#include <vector>

#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/view/precision_editor.h"

class QToolButton;

namespace quantscope {

class TensorPrecisionForm;
class TypeSegments;
struct TensorPart;

/// The precision of the selected layers, or of all nodes of a rule that means them, to be changed
/// in place: their type, and below it, when unfolded, what holds of weights, inputs and outputs.
class PrecisionSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit PrecisionSection(PrecisionEditor* editor, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Form {
    TensorPrecisionForm* form;
    const TensorPart* part;
  };

  void addDetails();
  void showState();
  void showDetails();
  void showRule();
  void fillRules();

  PrecisionEditor* m_editor;
  TypeSegments* m_segments;
  QLabel* m_state;
  QToolButton* m_rule;
  QToolButton* m_unfold;
  QToolButton* m_reset;
  QWidget* m_details;
  std::vector<Form> m_forms;
};

}  // namespace quantscope
