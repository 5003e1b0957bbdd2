#pragma once

#include <atomic>
#include <cstddef>

#include "analysis/errors/error_store.h"
#include "engine/evaluation/activation_cache.h"
#include "precision/parameters/parameter_cache.h"

namespace quantscope {

/// The caches that analyses share, for all networks and configurations: one per process, with a
/// common budget. Results never depend on it. May be used from any thread.
class AnalysisMemory {
 public:
  explicit AnalysisMemory(std::size_t budget)
      : activations(activationBytes(budget), planBytes(budget)),
        errors(errorBytes(budget)),
        parameters(parameterBytes(budget)),
        m_running(runningBytes(budget)) {}

  void setBudget(std::size_t bytes) {
    m_running = runningBytes(bytes);
    activations.setBudget(activationBytes(bytes));
    activations.plans().setBudget(planBytes(bytes));
    errors.setBudget(errorBytes(bytes));
    parameters.setBudget(parameterBytes(bytes));
  }
  /// The share of a budget that decoded samples may take.
  static std::size_t sampleBytes(std::size_t budget);
  /// The share for what runs at the moment.
  std::size_t runningBytes() const { return m_running; }

  ActivationCache activations;
  ErrorStore errors;
  ParameterCache parameters;

 private:
  static std::size_t activationBytes(std::size_t budget);
  static std::size_t errorBytes(std::size_t budget);
  static std::size_t parameterBytes(std::size_t budget);
  static std::size_t planBytes(std::size_t budget);
  static std::size_t runningBytes(std::size_t budget);

  std::atomic<std::size_t> m_running;
};

}  // namespace quantscope
