#include "jobs/sensitivity/sensitivity_types.h"

#include <algorithm>
#include <ranges>

#include "base/error.h"

namespace quantscope {
namespace {

// Of activations alone other types are asked for, with and without a sign.
bool runsIn(const TypeChoices& choices, std::size_t layer, QuantType type, PrecisionPart part) {
  if (!choices.typeOf(layer)) return false;
  const QuantType asked = signedType(type);
  if (part == PrecisionPart::Weights) {
    return choices.tensorRefusal(layer, TensorRole::Weight, asked).empty();
  }
  return choices.refusal(layer, asked).empty();
}

std::string noneIn(const TypeChoices& choices, QuantType type) {
  return "no layer can be set to " + std::string(name(type)) + " with " +
         choices.config().precision->backend;
}

}  // namespace

std::vector<std::string> simulatedTypes(const TypeChoices& choices,
                                        const SensitivityRequest& request) {
  std::vector<std::string> sentences;
  if (request.part == PrecisionPart::Activations) return sentences;
  const auto layers = std::views::iota(std::size_t{0}, choices.layerCount());
  for (const QuantType type : request.types) {
    const bool runs = std::ranges::any_of(
        layers, [&](std::size_t layer) { return runsIn(choices, layer, type, request.part); });
    if (runs) continue;
    sentences.push_back(noneIn(choices, type) +
                        ": its rows are simulated; leave the type out or choose another backend");
  }
  return sentences;
}

void requireWidenable(const TypeChoices& choices, QuantType wider) {
  bool any = false;
  for (std::size_t layer = 0; layer < choices.layerCount(); ++layer) {
    const std::optional<QuantType> type = choices.typeOf(layer);
    if (!type || !choices.refusal(layer, signedType(wider)).empty()) continue;
    if (isQuantized(*type) && bitWidth(*type) < bitWidth(wider)) return;
    any = true;
  }
  if (!any) {
    throw Error(ErrorCode::UnsupportedType, noneIn(choices, wider), {},
                "choose another type or backend");
  }
  throw Error(ErrorCode::InvalidParameters,
              "every layer that can be set to " + std::string(name(wider)) +
                  " has that type or a wider one",
              {}, "name a wider type with --widen");
}

}  // namespace quantscope
