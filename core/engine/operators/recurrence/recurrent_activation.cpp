#include "engine/operators/recurrence/recurrent_activation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include "base/error.h"
#include "engine/vector_math.h"

namespace quantscope {
namespace {

using Loop = void (*)(std::span<float>, float, float);

// The loop of a function(x, alpha, beta).
template <auto kFunction>
void loop(std::span<float> x, float alpha, float beta) {
  for (float& element : x) element = kFunction(element, alpha, beta);
}

struct Entry {
  std::string_view name;
  Loop apply;
  int constants;  ///< of alpha, beta
  float alpha;
  float beta;
};

constexpr auto kSigmoid = [](float x, float, float) { return fastSigmoid(x); };
constexpr auto kTanh = [](float x, float, float) { return fastTanh(x); };
constexpr auto kRelu = [](float x, float, float) { return x > 0 ? x : 0; };
constexpr auto kAffine = [](float x, float alpha, float beta) { return alpha * x + beta; };
constexpr auto kLeaky = [](float x, float alpha, float) { return x < 0 ? alpha * x : x; };
constexpr auto kThresholded = [](float x, float alpha, float) { return x > alpha ? x : 0; };
constexpr auto kScaledTanh = [](float x, float alpha, float beta) {
  return alpha * fastTanh(beta * x);
};
constexpr auto kHardSigmoid = [](float x, float alpha, float beta) {
  return std::clamp(alpha * x + beta, 0.0F, 1.0F);
};
constexpr auto kElu = [](float x, float alpha, float) { return x < 0 ? alpha * std::expm1(x) : x; };
constexpr auto kSoftsign = [](float x, float, float) { return x / (1 + std::abs(x)); };
constexpr auto kSoftplus = [](float x, float, float) {
  return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x)));
};

// Names and defaults from ONNX's description of RNN.
constexpr std::array kEntries = {
    Entry{"sigmoid", loop<kSigmoid>, 0, 0, 0},
    Entry{"tanh", loop<kTanh>, 0, 0, 0},
    Entry{"relu", loop<kRelu>, 0, 0, 0},
    Entry{"affine", loop<kAffine>, 2, 1, 0},
    Entry{"leakyrelu", loop<kLeaky>, 1, 0.01F, 0},
    Entry{"thresholdedrelu", loop<kThresholded>, 1, 1, 0},
    Entry{"scaledtanh", loop<kScaledTanh>, 2, 1, 1},
    Entry{"hardsigmoid", loop<kHardSigmoid>, 2, 0.2F, 0.5F},
    Entry{"elu", loop<kElu>, 1, 1, 0},
    Entry{"softsign", loop<kSoftsign>, 0, 0, 0},
    Entry{"softplus", loop<kSoftplus>, 0, 0, 0},
};

const Entry& entryOf(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found = std::ranges::find(kEntries, std::string_view(lower), &Entry::name);
  if (found != kEntries.end()) return *found;
  throw Error(ErrorCode::InvalidModel,
              "'" + std::string(name) + "' is no activation of a recurrent operator");
}

}  // namespace

RecurrentActivation::RecurrentActivation(std::string_view name, const float* alpha,
                                         const float* beta) {
  const Entry& entry = entryOf(name);
  m_apply = entry.apply;
  m_alpha = alpha != nullptr ? *alpha : entry.alpha;
  m_beta = beta != nullptr ? *beta : entry.beta;
}

int RecurrentActivation::constantCount(std::string_view name) {
  return entryOf(name).constants;
}

}  // namespace quantscope
