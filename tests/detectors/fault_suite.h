#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "detectors/finding.h"
#include "tensor/tensor.h"

namespace quantscope::test {

using Random = std::mt19937;

double uniform(Random& random, double low, double high);
/// low … high, both included.
int whole(Random& random, int low, int high);
bool coin(Random& random);
/// Of one of three shapes of noise around 0, `kind` 0 … 2; all have a deviation of about 1.
double noiseOf(Random& random, int kind);
/// "{1, 2.5}": the elements of a constant in a graph's text.
std::string elements(const std::vector<double>& values);

/// A generated network with its data, and where its fault is.
struct Injected {
  std::string text;
  std::vector<Tensor> samples;
  std::string config;
  std::vector<std::int64_t> channels;  ///< empty = the fault has none in particular
  std::string node = "faulty";         ///< the one that is at fault
  std::vector<Tensor> calibration{};   ///< empty = the samples
};

/// Makes a network with a fault, or one like it without.
using MakeCase = Injected (*)(Random& random, bool faulty);

inline constexpr int kFaultCases = 20;

/// How often a detector finds a fault that was put in, and how often it cries without one.
struct FaultScore {
  int hits = 0;               ///< faults that were found, of kFaultCases
  int alarms = 0;             ///< healthy networks with a finding, of as many
  std::vector<int> mistaken;  ///< the cases that went wrong; healthy ones from kFaultCases on

  double recall() const { return static_cast<double>(hits) / kFaultCases; }
  /// 0 where nothing was found.
  double precision() const;
};

/// Runs a detector on kFaultCases networks with the fault and as many without. A fault counts as
/// found where a finding names its node and, where it has some, just its channels.
FaultScore scoreFaults(const std::string& detector, MakeCase make);

/// The same, printed; true where precision and recall are both at least 0.9.
bool findsFaults(const std::string& detector, MakeCase make);

/// Everything that a finding says, for comparisons.
std::string textOf(const std::vector<Finding>& findings);

/// True where all detectors say the same of a case for 1 and 3 threads, and when asked twice;
/// for the first `cases` with the fault. `saw` is how many findings were compared.
bool sameForAnyThreads(MakeCase make, int cases, std::size_t& saw);

}  // namespace quantscope::test
