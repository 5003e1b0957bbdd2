#pragma once

#include <vector>

#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/view/precision_editor.h"

class QToolButton;

namespace quantscope {

class TensorPrecisionForm;
class TypeSegments;

/// The precision of the selected layers, to be changed in place: their type, and below it, when
/// unfolded, what holds of weights, inputs and outputs.
class PrecisionSection : public InspectorSection {
  Q_OBJECT

 public:
  explicit PrecisionSection(PrecisionEditor* editor, QWidget* parent = nullptr);
  QString asText() const override;

 protected:
  bool appliesTo(const InspectorSubject& subject) const override;
  void refresh() override;

 private:
  /// One of the tensors that the details speak of.
  struct Part {
    TensorPrecisionForm* form;
    TensorRole tensor;
    TensorPrecision NodePrecision::*precision;
    TensorFields PrecisionFields::*fields;
    bool LayerTensors::*present;
  };

  void addDetails();
  void showState();
  void showDetails();
  QString refusal(const Part& part, QuantType type) const;
  void edit(const Part& part, const TensorPrecision& changed, const QString& what);

  PrecisionEditor* m_editor;
  TypeSegments* m_segments;
  QLabel* m_state;
  QToolButton* m_unfold;
  QToolButton* m_reset;
  QWidget* m_details;
  std::vector<Part> m_parts;
};

}  // namespace quantscope
