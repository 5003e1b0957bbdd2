#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "detectors/detector_case.h"
#include "support/test_main.h"

using namespace quantscope;
using quantscope::test::DetectorCase;
using quantscope::test::filled;

/// How often a detector finds a fault that was put into a generated network, and how often it cries
/// without one. A fault counts as found where the finding names its node and, where it has some,
/// just its channels.
class FaultInjectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void detectors_data();
  void detectors();
};

namespace {

constexpr int kCases = 20;

/// A generated network with its data, and where its fault is.
struct Injected {
  std::string text;
  std::vector<Tensor> samples;
  std::string config;
  std::vector<std::int64_t> channels;  ///< empty = the fault has none in particular
};

using Generator = std::mt19937;
using Make = Injected (*)(Generator& random, bool faulty);

double uniform(Generator& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int whole(Generator& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// Which of three shapes of noise a case has; all have a deviation of about 1.
double noiseOf(Generator& random, int kind) {
  if (kind == 0) return std::normal_distribution<double>()(random);
  if (kind == 1) return uniform(random, -1.7, 1.7);
  const double magnitude = std::exponential_distribution<double>(1.4)(random);
  return whole(random, 0, 1) == 0 ? magnitude : -magnitude;
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "{" + text + "}";
}

/// x → conv "faulty" or linear layer "faulty", with `channels` inputs and 4 outputs.
std::string layerText(bool convolution, int channels, const std::vector<double>& weights) {
  const std::string c = std::to_string(channels);
  const std::string given = weights.empty() ? "" : numbers(weights);
  if (convolution) {
    return "input x:float[1," + c + ",8,8]\nw:float[4," + c + ",1,1]" + given +
           "\ny = Conv(x, w) @faulty\noutput y\n";
  }
  return "input x:float[16," + c + "]\nw:float[4," + c + "]" + given +
         "\ny = Gemm(x, w) transB=1 @faulty\noutput y\n";
}

Shape shapeOf(bool convolution, int channels) {
  return convolution ? Shape{1, channels, 8, 8} : Shape{16, channels};
}

/// The channel of element i.
int channelOf(bool convolution, int channels, std::size_t i) {
  const auto index = static_cast<int>(i);
  return convolution ? index / 64 : index % channels;
}

Injected perTensorWeights(Generator& random, bool faulty) {
  const bool convolution = whole(random, 0, 1) == 0;
  const int channels = whole(random, 2, 6);
  Injected result{layerText(convolution, channels, {}), {}, {}, {}};
  result.samples.push_back(
      filled(shapeOf(convolution, channels), [&](std::size_t) { return noiseOf(random, 0); }));
  result.config =
      faulty
          ? R"({"quantscope": 1, "nodes": {"faulty": {"weight": {"granularity": "per-tensor"}}}})"
          : "";
  return result;
}

Injected growingBatches(Generator& random, bool faulty) {
  const bool convolution = whole(random, 0, 1) == 0;
  const int channels = whole(random, 2, 6);
  const int kind = whole(random, 0, 2);
  const double offset = uniform(random, -1, 1);
  const double growth = uniform(random, 1.8, 4);
  Injected result{layerText(convolution, channels, {}), {}, {}, {}};
  std::vector<double> scales;
  for (int s = 0; s < 8; ++s) {
    scales.push_back(faulty ? std::pow(growth, s) : uniform(random, 0.9, 1.1));
  }
  std::ranges::shuffle(scales, random);
  for (const double scale : scales) {
    result.samples.push_back(filled(shapeOf(convolution, channels), [&](std::size_t) {
      return scale * (noiseOf(random, kind) + offset);
    }));
  }
  return result;
}

// Weights of one range, channels of the input of different ones; without the fault the weights are
// as uneven as the input.
Injected unevenChannels(Generator& random, bool faulty) {
  const bool convolution = whole(random, 0, 1) == 0;
  const int channels = whole(random, 4, 9);
  std::vector<double> reach;
  for (int c = 0; c < channels; ++c) reach.push_back(uniform(random, 0.3, 0.6));
  reach[static_cast<std::size_t>(whole(random, 0, channels - 1))] = 1;
  std::vector<double> weights;
  for (int i = 0; i < 4 * channels; ++i) {
    const double range = faulty ? 1 : reach[static_cast<std::size_t>(i % channels)];
    const bool end = i / channels < 2;  // so that every channel has both ends of its range
    weights.push_back(range * (end ? (i / channels == 0 ? -1 : 1) : uniform(random, -1, 1)));
  }
  Injected result{layerText(convolution, channels, weights), {}, {}, {}};
  for (int s = 0; s < 6; ++s) {
    result.samples.push_back(filled(shapeOf(convolution, channels), [&](std::size_t i) {
      const int channel = channelOf(convolution, channels, i);
      return reach[static_cast<std::size_t>(channel)] * uniform(random, -1, 1);
    }));
  }
  return result;
}

Injected farValue(Generator& random, bool faulty) {
  const bool convolution = whole(random, 0, 3) > 0;
  const int channels = whole(random, 2, 6);
  const int kind = whole(random, 0, 2);
  const int victim = whole(random, 0, channels - 1);
  const double far = uniform(random, 12, 60) * (whole(random, 0, 1) == 0 ? 1 : -1);
  Injected result{layerText(convolution, channels, {}), {}, {}, {victim}};
  // Of 64 values in a channel one must stay beyond the reference quantile.
  const Shape shape = convolution ? Shape{1, channels, 8, 8} : Shape{64, channels};
  if (!convolution) result.text.replace(result.text.find("[16,"), 4, "[64,");
  for (int s = 0; s < 6; ++s) {
    bool placed = !faulty;
    result.samples.push_back(filled(shape, [&](std::size_t i) {
      const double plain = noiseOf(random, kind);
      if (placed || channelOf(convolution, channels, i) != victim) return plain;
      placed = true;
      return far;
    }));
  }
  return result;
}

bool found(const std::vector<Finding>& findings, const Injected& fault) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.nodeName == "faulty" &&
           (fault.channels.empty() || finding.channels == fault.channels);
  });
}

}  // namespace

void FaultInjectionTest::detectors_data() {
  QTest::addColumn<Make>("make");
  QTest::newRow("per_channel") << Make(perTensorWeights);
  QTest::newRow("dynamic_static") << Make(growingBatches);
  QTest::newRow("equalization") << Make(unevenChannels);
  QTest::newRow("outlier") << Make(farValue);
}

void FaultInjectionTest::detectors() {
  QFETCH(Make, make);
  const std::string detector = QTest::currentDataTag();
  Generator random(5);
  int hits = 0;
  int alarms = 0;
  for (int i = 0; i < 2 * kCases; ++i) {
    const bool faulty = i < kCases;
    const Injected injected = make(random, faulty);
    const DetectorCase testCase(injected.text.c_str(), injected.samples, injected.config);
    const std::vector<Finding> findings = testCase.findings(detector);
    hits += faulty && found(findings, injected);
    alarms += !faulty && !findings.empty();
  }
  const double recall = static_cast<double>(hits) / kCases;
  const double precision = hits == 0 ? 0 : static_cast<double>(hits) / (hits + alarms);
  qInfo("%s: precision %.2f, recall %.2f", detector.c_str(), precision, recall);
  QVERIFY2(precision >= 0.9 && recall >= 0.9, "too many faults missed or made up");
}

QUANTSCOPE_TEST(FaultInjectionTest)
#include "test_fault_injection.moc"
