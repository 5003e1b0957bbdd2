#pragma once

#include <QString>
#include <span>
#include <vector>

#include "widgets/view/precision_editor.h"

namespace quantscope {

/// Elements of a group where a user asks for groups.
inline constexpr int kUsualGroup = 32;

/// One of the tensors of a layer whose precision can be set: where it stands in a precision and in
/// an edit.
struct TensorPart {
  QString title;  ///< "Weights", "Input", "Output"
  TensorRole role = TensorRole::Weight;
  TensorPrecision NodePrecision::*precision = nullptr;
  TensorFields PrecisionFields::*fields = nullptr;
  bool LayerTensors::*present = nullptr;

  /// "weights"
  QString subject() const { return title.toLower(); }
  PrecisionFields edit(const TensorFields& changed) const;
};

/// Weights, input and output.
std::span<const TensorPart> tensorParts();
const TensorPart& partOf(TensorRole role);

/// What the layers that an edit would set have there.
struct SelectedTensor {
  std::size_t layers = 0;     ///< that have this tensor, and are not float as a whole
  TensorPrecision precision;  ///< that of the first of them
  TensorFields mixed;         ///< fields that are there where the layers differ in them
  /// Of each operator a layer that has this tensor.
  std::vector<std::size_t> ofOperators;

  bool empty() const { return layers == 0; }
};
SelectedTensor selectedTensor(const PrecisionEditor& editor, const TensorPart& part);

/// Why none of them can have a type; empty where one can.
QString tensorRefusal(const PrecisionEditor& editor, const TensorPart& part,
                      const SelectedTensor& tensor, QuantType type);

/// The fields that make ranges dynamic, taken from each sample, which needs no observer; or static.
TensorFields modeFields(bool dynamic);

/// The types that a tensor can be set to, floats first.
std::span<const QuantType> tensorTypes();

}  // namespace quantscope
