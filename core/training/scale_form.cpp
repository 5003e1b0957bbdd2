#include "training/scale_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace quantscope {
namespace {

constexpr std::array<std::pair<ScaleForm, std::string_view>, 3> kNames{
    {{ScaleForm::Log, "log"}, {ScaleForm::Lsq, "lsq"}, {ScaleForm::Tqt, "tqt"}}};

float normal(double scale) {
  return std::clamp(static_cast<float>(scale), std::numeric_limits<float>::min(),
                    std::numeric_limits<float>::max());
}

}  // namespace

std::string_view name(ScaleForm form) {
  return kNames.at(static_cast<std::size_t>(form)).second;
}

std::optional<ScaleForm> scaleFormFromName(std::string_view name) {
  for (const auto& [form, each] : kNames) {
    if (each == name) return form;
  }
  return std::nullopt;
}

double learnedFrom(ScaleForm form, float scale) {
  if (form == ScaleForm::Lsq) return double{scale};
  return form == ScaleForm::Log ? std::log(double{scale}) : std::log2(double{scale});
}

float scaleOf(ScaleForm form, double theta) {
  if (form == ScaleForm::Lsq) return normal(theta);
  return normal(form == ScaleForm::Log ? std::exp(theta) : std::exp2(std::ceil(theta)));
}

double learnedGradient(ScaleForm form, double scaleGradient, float scale, std::size_t elements,
                       std::int32_t highest) {
  if (form == ScaleForm::Log) return scaleGradient * double{scale};
  if (form == ScaleForm::Tqt) return scaleGradient * double{scale} * std::numbers::ln2;
  return scaleGradient / std::sqrt(static_cast<double>(elements) * std::max(highest, 1));
}

double learnedUnit(ScaleForm form, float startScale) {
  if (form == ScaleForm::Lsq) return double{startScale};
  return form == ScaleForm::Log ? 1 : 1 / std::numbers::ln2;
}

}  // namespace quantscope
