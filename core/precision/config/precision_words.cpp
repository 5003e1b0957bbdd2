#include "precision/config/precision_words.h"

#include "base/number_text.h"

namespace quantscope {
namespace {

std::string codeWords(const TensorPrecision& precision) {
  return "codes " + std::to_string(precision.lowest.value_or(lowestCode(precision.type))) + " to " +
         std::to_string(precision.highest.value_or(highestCode(precision.type)));
}

std::string symmetryWords(const TensorPrecision& precision) {
  return precision.symmetric ? "symmetric" : "asymmetric";
}

std::string modeWords(const TensorPrecision& precision) {
  return precision.dynamic ? "dynamic" : "static";
}

Granularity withoutAxis(Granularity granularity) {
  granularity.axis.reset();
  return granularity;
}

// The words of `a` that tell it apart from `b`.
std::string wordsBeside(const TensorPrecision& a, const TensorPrecision& b, TensorRole role) {
  std::string text(name(a.type));
  if (!hasScale(a.type)) return text;
  const bool bothScaled = hasScale(b.type);
  if (canBeAsymmetric(a.type) && (!bothScaled || a.symmetric != b.symmetric)) {
    text += " " + symmetryWords(a);
  }
  const bool axisDiffers = withoutAxis(a.granularity) == withoutAxis(b.granularity);
  text += " " + words(axisDiffers && bothScaled ? a.granularity : withoutAxis(a.granularity));
  if (role != TensorRole::Weight && (!bothScaled || a.dynamic != b.dynamic)) {
    text += " " + modeWords(a);
  }
  if (a.observer != b.observer) text += " " + toString(a.observer);
  if (a.range && a.range != b.range) text += " " + rangeWords(*a.range);
  const bool sameCodes = a.lowest == b.lowest && a.highest == b.highest;
  if ((a.lowest || a.highest) && !sameCodes) text += " " + codeWords(a);
  return text;
}

}  // namespace

std::string rangeWords(const Range& range) {
  return "from " + shortestText(range.low) + " to " + shortestText(range.high);
}

std::string wordsOfChange(const TensorPrecision& before, const TensorPrecision& after,
                          TensorRole role) {
  return wordsBeside(before, after, role) + " → " + wordsBeside(after, before, role);
}

std::string words(const TensorPrecision& precision, TensorRole role) {
  std::string text(name(precision.type));
  if (!hasScale(precision.type)) return text;
  if (canBeAsymmetric(precision.type)) text += " " + symmetryWords(precision);
  text += " " + words(precision.granularity);
  if (role != TensorRole::Weight) text += " " + modeWords(precision);
  if (precision.observer != ObserverSpec()) text += " " + toString(precision.observer);
  if (precision.range) text += " " + rangeWords(*precision.range);
  if (precision.lowest || precision.highest) text += " " + codeWords(precision);
  return text;
}

const char* words(TensorRole role) {
  switch (role) {
    case TensorRole::Weight:
      return "weights";
    case TensorRole::Activation:
      return "activations";
    case TensorRole::Output:
      break;
  }
  return "outputs";
}

std::string words(const Granularity& granularity) {
  const std::string axis =
      granularity.axis ? " along axis " + std::to_string(*granularity.axis) : "";
  switch (granularity.kind) {
    case Granularity::Kind::PerChannel:
      return "per-channel" + axis;
    case Granularity::Kind::PerGroup:
      return "per-group of " + std::to_string(granularity.groupSize) + axis;
    case Granularity::Kind::PerTensor:
      break;
  }
  return "per-tensor";
}

}  // namespace quantscope
