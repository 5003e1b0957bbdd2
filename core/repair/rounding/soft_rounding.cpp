#include "repair/rounding/soft_rounding.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/counter_random.h"
#include "base/workers.h"
#include "engine/onednn/sgemm.h"

namespace quantscope {
namespace {

constexpr double kZeta = 1.1;
constexpr double kGamma = -0.1;
// Outputs that one thread learns together.
constexpr std::size_t kOutputsAtOnce = 16;
constexpr std::uint64_t kSeed = 29;

double sigmoid(double v) {
  return 1 / (1 + std::exp(-v));
}

/// Columns less their mean where the bias is free, in an order that is drawn once.
struct Columns {
  std::vector<float> x;
  std::vector<float> rounded;
  std::vector<double> mean;  // of x

  explicit Columns(const RoundingProblem& problem)
      : x(problem.twin, problem.twin + problem.columns * problem.inputs),
        rounded(problem.quantized, problem.quantized + problem.columns * problem.inputs),
        mean(problem.inputs, 0.0) {
    if (problem.freeBias) {
      mean = centre(x, problem);
      centre(rounded, problem);
    }
    std::vector<std::size_t> order(problem.columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const CounterRandom random(kSeed);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.bits(i) % i]);
    x = ordered(x, order, problem.inputs);
    rounded = ordered(rounded, order, problem.inputs);
  }

 private:
  static std::vector<double> centre(std::vector<float>& values, const RoundingProblem& problem) {
    std::vector<double> mean(problem.inputs, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) mean[i % problem.inputs] += values[i];
    for (double& each : mean) each /= static_cast<double>(problem.columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(values[i] - mean[i % problem.inputs]);
    }
    return mean;
  }

  static std::vector<float> ordered(const std::vector<float>& values,
                                    const std::vector<std::size_t>& order, std::size_t inputs) {
    std::vector<float> result;
    result.reserve(values.size());
    for (const std::size_t column : order) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(column * inputs);
      result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(inputs));
    }
    return result;
  }
};

// y [columns, outputs] = x · wᵀ.
void multiply(const float* x, std::size_t columns, std::size_t inputs, const std::vector<float>& w,
              std::size_t outputs, std::vector<float>& y) {
  y.resize(columns * outputs);
  onednn::multiplyAtOnce({x}, {w.data(), true}, y.data(), static_cast<std::int64_t>(columns),
                         static_cast<std::int64_t>(outputs), static_cast<std::int64_t>(inputs));
}

/// Some outputs of a problem.
class OutputBlock {
 public:
  OutputBlock(const RoundingProblem& problem, const Columns& columns, std::size_t first,
              std::size_t count)
      : m_problem(problem), m_columns(columns), m_first(first), m_count(count) {
    std::vector<float> weights(size());
    for (std::size_t i = 0; i < size(); ++i) {
      weights[i] = static_cast<float>(problem.weights[start() + i]);
    }
    // columns.mean is 0 if the bias is not free.
    m_offsets.resize(count);
    for (std::size_t o = 0; o < count; ++o) {
      m_offsets[o] = problem.bias[first + o];
      for (std::size_t k = 0; k < problem.inputs; ++k) {
        m_offsets[o] += problem.weights[start() + o * problem.inputs + k] * columns.mean[k];
      }
    }
    multiply(columns.x.data(), problem.columns, problem.inputs, weights, count, m_wanted);
  }

  std::vector<double> errorsOf(const double* codes) const {
    std::vector<float> weights(size());
    for (std::size_t i = 0; i < size(); ++i) weights[i] = realOf(i, codes[i]);
    std::vector<float> found;
    multiply(m_columns.rounded.data(), m_problem.columns, m_problem.inputs, weights, m_count,
             found);
    std::vector<double> errors(m_count, 0.0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t o = i % m_count;
      const double error = outputOf(found[i], o) - outputOf(m_wanted[i], o);
      errors[o] += error * error / static_cast<double>(m_problem.columns);
    }
    return errors;
  }

  void learn(const SoftRoundingSettings& settings, const JobContext& job, double* codes) {
    start(codes);
    const std::size_t batch = std::min(settings.batch, m_problem.columns);
    for (std::size_t step = 0; step < settings.steps; ++step) {
      if (step % 64 == 0) job.throwIfCancelled();
      // The last batch of a round begins where it still is whole.
      const std::size_t batches = (m_problem.columns + batch - 1) / batch;
      const std::size_t column = std::min(step % batches * batch, m_problem.columns - batch);
      const double done = static_cast<double>(step) / static_cast<double>(settings.steps);
      takeStep(settings, column, batch, step + 1, done);
    }
    const std::vector<double> before = errorsOf(codes);
    std::vector<double> learned(size());
    for (std::size_t i = 0; i < size(); ++i) {
      learned[i] = clamped(m_base[i] + (softStep(m_v[i]) >= 0.5 ? 1 : 0));
    }
    const std::vector<double> after = errorsOf(learned.data());
    for (std::size_t o = 0; o < m_count; ++o) {
      if (!(after[o] < before[o])) continue;
      std::copy_n(learned.begin() + static_cast<std::ptrdiff_t>(o * m_problem.inputs),
                  m_problem.inputs, codes + o * m_problem.inputs);
    }
  }

 private:
  std::size_t size() const { return m_count * m_problem.inputs; }
  std::size_t start() const { return m_first * m_problem.inputs; }
  double clamped(double code) const {
    return std::clamp(code, m_problem.lowest, m_problem.highest);
  }
  float realOf(std::size_t i, double code) const {
    return static_cast<float>((code - m_problem.zeroPoints[start() + i]) *
                              m_problem.scales[start() + i]);
  }
  double outputOf(double sum, std::size_t o) const {
    const double value = sum + m_offsets[o];
    return m_problem.rectified ? std::max(value, 0.0) : value;
  }

  // Between the codes around each weight, half of the way towards the code to start from; where
  // that lies elsewhere, between it and its neighbour on the weight's side.
  void start(const double* codes) {
    m_base.resize(size());
    m_v.resize(size());
    m_mean.assign(size(), 0.0);
    m_square.assign(size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i) {
      const double place = m_problem.weights[start() + i] / m_problem.scales[start() + i] +
                           m_problem.zeroPoints[start() + i];
      m_base[i] = std::floor(place);
      if (codes[i] < m_base[i]) m_base[i] = codes[i];
      if (codes[i] > m_base[i] + 1) m_base[i] = codes[i] - 1;
      const double fraction = std::clamp(place - m_base[i], 0.0, 1.0);
      const double towards = codes[i] - m_base[i];
      m_v[i] = softStart(std::clamp((fraction + towards) / 2, 0.01, 0.99));
    }
  }

  void takeStep(const SoftRoundingSettings& settings, std::size_t column, std::size_t batch,
                std::size_t step, double done) {
    const std::size_t inputs = m_problem.inputs;
    m_soft.resize(size());
    for (std::size_t i = 0; i < size(); ++i) m_soft[i] = realOf(i, softCode(i));
    multiply(m_columns.rounded.data() + column * inputs, batch, inputs, m_soft, m_count, m_found);
    // 2·(f(Ŵx̂) − f(Wx))·f' over the batch.
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      const std::size_t o = i % m_count;
      const double found = outputOf(m_found[i], o);
      const double error = found - outputOf(m_wanted[column * m_count + i], o);
      const bool passes = !m_problem.rectified || m_found[i] + m_offsets[o] > 0;
      m_found[i] = passes ? static_cast<float>(2 * error / static_cast<double>(batch)) : 0.0F;
    }
    m_gradient.resize(size());
    onednn::multiplyAtOnce({m_found.data(), true}, {m_columns.rounded.data() + column * inputs},
                           m_gradient.data(), static_cast<std::int64_t>(m_count),
                           static_cast<std::int64_t>(inputs), static_cast<std::int64_t>(batch));
    const double beta =
        settings.betaEnd + (settings.betaStart - settings.betaEnd) / 2 *
                               (1 + std::cos(std::numbers::pi * progress(settings, done)));
    const double lambda = done < settings.warmup ? 0 : settings.regularization;
    for (std::size_t i = 0; i < size(); ++i) {
      adam(i, gradientOf(i, lambda, beta), settings.rate, static_cast<double>(step));
    }
  }

  static double progress(const SoftRoundingSettings& settings, double done) {
    return std::max(0.0, (done - settings.warmup) / (1 - settings.warmup));
  }

  double softCode(std::size_t i) const { return clamped(m_base[i] + softStep(m_v[i])); }

  double gradientOf(std::size_t i, double lambda, double beta) const {
    const double slope = softStepSlope(m_v[i]);
    if (slope == 0) return 0;
    const double h = softStep(m_v[i]);
    const double code = m_base[i] + h;
    const bool inside = code > m_problem.lowest && code < m_problem.highest;
    double gradient = inside ? m_gradient[i] * m_problem.scales[start() + i] : 0;
    if (lambda > 0) {
      const double away = 2 * h - 1;
      gradient -= lambda * 2 * beta * std::pow(std::abs(away), beta - 1) * (away < 0 ? -1 : 1);
    }
    return gradient * slope;
  }

  void adam(std::size_t i, double gradient, double rate, double step) {
    constexpr double kMean = 0.9;
    constexpr double kSquare = 0.999;
    m_mean[i] = kMean * m_mean[i] + (1 - kMean) * gradient;
    m_square[i] = kSquare * m_square[i] + (1 - kSquare) * gradient * gradient;
    const double mean = m_mean[i] / (1 - std::pow(kMean, step));
    const double square = m_square[i] / (1 - std::pow(kSquare, step));
    m_v[i] -= rate * mean / (std::sqrt(square) + 1e-8);
  }

  const RoundingProblem& m_problem;
  const Columns& m_columns;
  std::size_t m_first;
  std::size_t m_count;
  std::vector<double> m_offsets;  // b + W·E[x]
  std::vector<float> m_wanted;    // W·x
  std::vector<double> m_base;
  std::vector<double> m_v;
  std::vector<double> m_mean;
  std::vector<double> m_square;
  std::vector<float> m_soft;
  std::vector<float> m_found;
  std::vector<float> m_gradient;
};

template <class Work>
void forEachBlock(const RoundingProblem& problem, const JobContext& job, const Work& work) {
  const Columns columns(problem);
  job.workers().forEach(
      (problem.outputs + kOutputsAtOnce - 1) / kOutputsAtOnce, [&](std::size_t i) {
        const std::size_t first = i * kOutputsAtOnce;
        work(
            OutputBlock(problem, columns, first, std::min(kOutputsAtOnce, problem.outputs - first)),
            first);
      });
}

}  // namespace

double softStep(double v) {
  return std::clamp(sigmoid(v) * (kZeta - kGamma) + kGamma, 0.0, 1.0);
}

double softStepSlope(double v) {
  const double s = sigmoid(v);
  const double h = s * (kZeta - kGamma) + kGamma;
  return h > 0 && h < 1 ? (kZeta - kGamma) * s * (1 - s) : 0;
}

double softStart(double fraction) {
  return -std::log((kZeta - kGamma) / (fraction - kGamma) - 1);
}

std::vector<double> roundSoftly(const RoundingProblem& problem,
                                const SoftRoundingSettings& settings, const JobContext& job) {
  std::vector<double> codes = problem.codes;
  if (problem.columns == 0) return codes;
  forEachBlock(problem, job, [&](OutputBlock block, std::size_t first) {
    block.learn(settings, job, codes.data() + first * problem.inputs);
  });
  return codes;
}

std::vector<double> roundingErrors(const RoundingProblem& problem, const std::vector<double>& codes,
                                   const JobContext& job) {
  std::vector<double> errors(problem.outputs, 0.0);
  if (problem.columns == 0) return errors;
  forEachBlock(problem, job, [&](const OutputBlock& block, std::size_t first) {
    std::ranges::copy(block.errorsOf(codes.data() + first * problem.inputs),
                      errors.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return errors;
}

}  // namespace quantscope
