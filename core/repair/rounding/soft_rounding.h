#pragma once

#include <vector>

#include "base/job_context.h"
#include "repair/rounding/layer_sample.h"

namespace quantscope {

/// h(V) = clip(σ(V)·(ζ − γ) + γ, 0, 1) with ζ = 1.1, γ = −0.1: how far a weight lies between the
/// code below it and the one above (AdaRound, Nagel 2020, equation 23).
double softStep(double v);
/// ∂h/∂V: (ζ − γ)·σ·(1 − σ) inside of (0, 1), else 0.
double softStepSlope(double v);
/// V₀ = −ln((ζ − γ)/(fraction − γ) − 1), so that h(V₀) = fraction, of 0 … 1.
double softStart(double fraction);

/// How long AdaRound learns, and how.
struct SoftRoundingSettings {
  std::size_t steps = 1500;
  std::size_t batch = 256;       ///< columns of a step
  double rate = 1e-2;            ///< of Adam; replications found it better than 1e-3
  double regularization = 0.01;  ///< λ
  double betaStart = 20;         ///< falls along half a cosine …
  double betaEnd = 2;            ///< … to this
  double warmup = 0.2;           ///< share of the steps without regularization
};

/// The weights to be rounded: element o·inputs + k belongs to output o and input k of one group.
struct RoundingProblem {
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::size_t columns = 0;
  const float* twin = nullptr;       ///< x [columns, inputs]
  const float* quantized = nullptr;  ///< x̂
  std::vector<double> weights;       ///< W
  std::vector<double> scales;        ///< of every weight
  std::vector<double> zeroPoints;
  std::vector<double> codes;  ///< to start from, and to keep where they are better
  std::vector<double> bias;   ///< by output
  double lowest = 0;
  double highest = 0;
  bool freeBias = false;   ///< moments are centred: the bias makes up for what the means do
  bool rectified = false;  ///< f = max(x, 0), else f = x
};

/// AdaRound: the codes that Σ over outputs of (f(W·x) − f(Ŵ·x̂))², mean over columns, plus
/// λ·Σ(1 − |2h − 1|^β) lead to, or those to start from where on all columns they are better, output
/// by output. Outputs are independent, so the result is the same for any number of threads.
std::vector<double> roundSoftly(const RoundingProblem& problem,
                                const SoftRoundingSettings& settings, const JobContext& job);

/// By output: mean over columns of (f(W·x) − f(Ŵ·x̂))² for given codes.
std::vector<double> roundingErrors(const RoundingProblem& problem, const std::vector<double>& codes,
                                   const JobContext& job);

}  // namespace quantscope
