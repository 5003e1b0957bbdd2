#include "widgets/precision/tensor_parts.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

constexpr std::array kTensorTypes{
    QuantType::Float32,    QuantType::Float16, QuantType::BFloat16, QuantType::Float8E4M3,
    QuantType::Float8E5M2, QuantType::Int16,   QuantType::UInt16,   QuantType::Int8,
    QuantType::UInt8,      QuantType::Int4,    QuantType::UInt4,    QuantType::Int2,
    QuantType::UInt2,      QuantType::Ternary, QuantType::Binary,
};

}  // namespace

PrecisionFields TensorPart::edit(const TensorFields& changed) const {
  PrecisionFields all;
  all.*fields = changed;
  return all;
}

std::span<const TensorPart> tensorParts() {
  static const std::array parts{
      TensorPart{tr("Weights"), TensorRole::Weight, &NodePrecision::weight,
                 &PrecisionFields::weight, &LayerTensors::weights},
      TensorPart{tr("Input"), TensorRole::Activation, &NodePrecision::activation,
                 &PrecisionFields::activation, &LayerTensors::activations},
      TensorPart{tr("Output"), TensorRole::Output, &NodePrecision::output, &PrecisionFields::output,
                 &LayerTensors::outputs},
  };
  return parts;
}

const TensorPart& partOf(TensorRole role) {
  return *std::ranges::find(tensorParts(), role, &TensorPart::role);
}

SelectedTensor selectedTensor(const PrecisionEditor& editor, const TensorPart& part) {
  SelectedTensor result;
  if (editor.selected().empty()) return result;
  const TypeChoices& choices = *editor.choices();
  std::set<std::string_view> operators;
  for (const std::size_t layer : editor.selected().layers) {
    if (!(choices.tensorsOf(layer).*part.present)) continue;
    if (operators.insert(choices.operatorOf(layer)).second) result.ofOperators.push_back(layer);
    const NodePrecision& precision = choices.precisionOf(layer);
    if (!choices.typeOf(layer) || precision.float32) continue;
    if (result.layers++ == 0) {
      result.precision = precision.*part.precision;
    } else {
      result.mixed =
          merged(result.mixed, changedFields(result.precision, precision.*part.precision));
    }
  }
  return result;
}

// What a tensor can have depends on the operator alone.
QString tensorRefusal(const PrecisionEditor& editor, const TensorPart& part,
                      const SelectedTensor& tensor, QuantType type) {
  QString first;
  for (const std::size_t layer : tensor.ofOperators) {
    const QString why = text(editor.choices()->tensorRefusal(layer, part.role, type));
    if (why.isEmpty()) return {};
    if (first.isEmpty()) first = why;
  }
  return first;
}

TensorFields modeFields(bool dynamic) {
  TensorFields fields{.dynamic = dynamic};
  if (dynamic) fields.observer = ObserverSpec();
  return fields;
}

std::span<const QuantType> tensorTypes() {
  return kTensorTypes;
}

}  // namespace quantscope
