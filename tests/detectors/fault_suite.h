#pragma once

#include <QObject>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "detectors/findings/finding.h"
#include "tensor/tensor.h"

namespace quantscope::test {

using Random = std::mt19937;

double uniform(Random& random, double low, double high);
/// low … high, both included.
int whole(Random& random, int low, int high);
bool coin(Random& random);
/// A number of noise around 0 of one of three shapes, `kind` 0 … 2; all of deviation about 1.
double noiseOf(Random& random, int kind);
/// `samples` samples of one random shape of noise, times `scale`.
std::vector<Tensor> noise(Random& random, const Shape& shape, int samples, double scale = 1);
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

/// Tests detectors on networks with a fault and without: how often it is found, how often one is
/// seen where there is none, and that neither threads nor asking twice change a finding.
class FaultSuite : public QObject {
  Q_OBJECT

 public:
  struct Row {
    const char* detector;
    MakeCase make;
  };

 private:
  virtual std::vector<Row> rows() const = 0;
  void addRows() const;

 private Q_SLOTS:
  void detectors_data() { addRows(); }
  void detectors();
  void sameFindings_data() { addRows(); }
  void sameFindings();
};

}  // namespace quantscope::test
