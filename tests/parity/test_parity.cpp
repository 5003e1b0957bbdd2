// Every value of real networks against ONNX Runtime, run on the very same feeds without graph
// optimizations. The catalogue's models need QUANTSCOPE_MODELS, all rows QUANTSCOPE_PEERS.

#include <QtTest>
#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "onnx/import.h"
#include "parity/peer_run.h"
#include "parity/value_error.h"
#include "support/test_main.h"
#include "support/test_paths.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr double kNotComputed = std::numeric_limits<double>::infinity();
constexpr qsizetype kShownFailures = 20;

/// In the peer's order of values, which is the model's.
using Ratios = std::vector<double>;

/// Compares one sample's values as they are computed, so that no more than a few are in memory.
class SampleComparison {
 public:
  SampleComparison(const Engine& engine, const PeerRun& peer, std::size_t sample,
                   Tolerance tolerance)
      : m_engine(engine),
        m_peer(peer),
        m_sample(sample),
        m_tolerance(tolerance),
        m_ratios(peer.values().size(), kNotComputed) {
    for (std::size_t i = 0; i < peer.values().size(); ++i) {
      m_indices[graph().findValue(peer.values()[i].name.toStdString())] = i;
    }
  }

  Ratios run(const Plan& plan) {
    for (const auto& [value, index] : m_indices) {
      const Tensor* constant = value.valid() ? m_engine.constant(value) : nullptr;
      if (constant != nullptr) compare(value, *constant);
    }
    Execution execution(plan, feeds());
    while (!execution.finished()) {
      const NodeId done = execution.step();
      if (!done.valid()) continue;
      for (const ValueId output : graph()[done].outputs) {
        if (output.valid()) compare(output, execution.value(output));
      }
    }
    return std::move(m_ratios);
  }

 private:
  const Graph& graph() const { return m_engine.graph(); }

  std::vector<std::pair<ValueId, Tensor>> feeds() const {
    std::vector<std::pair<ValueId, Tensor>> result;
    for (const PeerRun::Entry& entry : m_peer.inputs()) {
      const ValueId value = graph().findValue(entry.name.toStdString());
      result.emplace_back(value, m_peer.read(entry, m_sample));
    }
    return result;
  }

  void compare(ValueId value, const Tensor& ours) {
    const auto found = m_indices.find(value);
    if (found == m_indices.end() || !ours.defined()) return;
    const Tensor theirs = m_peer.read(m_peer.values()[found->second], m_sample);
    m_ratios[found->second] = errorRatio(ours, theirs, m_tolerance);
  }

  const Engine& m_engine;
  const PeerRun& m_peer;
  std::size_t m_sample;
  Tolerance m_tolerance;
  std::map<ValueId, std::size_t> m_indices;
  Ratios m_ratios;
};

/// Each value's worst ratio over the samples.
Ratios compareAll(const Engine& engine, const Workers& workers, const PeerRun& peer,
                  Tolerance tolerance) {
  const Plan plan = planForAllValues(engine);
  std::vector<Ratios> bySample(peer.samples());
  workers.forEach(bySample.size(), [&](std::size_t sample) {
    bySample[sample] = SampleComparison(engine, peer, sample, tolerance).run(plan);
  });
  Ratios worst(peer.values().size(), 0.0);
  for (const Ratios& ratios : bySample) {
    for (std::size_t i = 0; i < worst.size(); ++i) worst[i] = std::max(worst[i], ratios[i]);
  }
  return worst;
}

QStringList failures(const PeerRun& peer, const Ratios& ratios) {
  QStringList lines;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i] <= 1) continue;
    lines << QString("  %1: %2").arg(peer.values()[i].name).arg(ratios[i]);
  }
  return lines;
}

QStringList notExecutable(const Engine& engine) {
  QStringList lines;
  for (const NotExecutable& missing : engine.notExecutable()) {
    const std::string& node = engine.graph()[missing.node].name;
    lines << QString("  %1 cannot be run: %2").arg(node.c_str(), missing.reason.c_str());
  }
  return lines;
}

QString summary(const PeerRun& peer, const Ratios& ratios) {
  const auto worst = std::max_element(ratios.begin(), ratios.end());
  return QString("%1 values, %2 out of bounds, worst %3 of the bound at %4")
      .arg(ratios.size())
      .arg(failures(peer, ratios).size())
      .arg(*worst)
      .arg(peer.values()[static_cast<std::size_t>(worst - ratios.begin())].name);
}

}  // namespace

class ParityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyValueAgrees_data();
  void everyValueAgrees();
};

void ParityTest::everyValueAgrees_data() {
  QTest::addColumn<QString>("model");
  QTest::addColumn<QString>("data");
  QTest::addColumn<int>("samples");
  QTest::addColumn<int>("tolerance");
  const auto add = [](const char* name, const QString& folder, const QString& data,
                      Tolerance tolerance = Tolerance::Float32, int samples = 2) {
    const QString path = folder.isEmpty() ? QString() : folder + "/";
    QTest::newRow(name) << path + name + ".onnx" << path + data + ".npz" << samples
                        << static_cast<int>(tolerance);
  };
  const QString samples = QUANTSCOPE_SAMPLES_DIRECTORY;
  for (const char* name : {"digits_mobilenet", "digits_transformer"}) add(name, samples, name);

  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  for (const char* name :
       {"mnist_cntk", "factorio_mnist_float", "cifar10_resnet8_float", "cifar10_resnet8_bn",
        "vww_mobilenet025_96_float", "vww_mobilenet025_96_bn", "mobilenet_v1_025_224_imagenet",
        "squeezenet_fp32", "ultraface_rfb320", "fastestdet", "vittracker", "magika_v3_3",
        "gtcrn_simple", "gtcrn_unrolled_x4", "silero_vad_16k_op15", "supres_core",
        "basic_pitch_nmp"}) {
    add(name, models, name);
  }
  add("ultraface_rfb320_simplified", models, "ultraface_rfb320");
  add("gtcrn", models, "gtcrn_simple");
  add("silero_vad", models, "silero_vad_16k_op15");
  add("squeezenet_fp16", models, "squeezenet_fp16", Tolerance::Float16);
  add("factorio_mnist_dynq_int8", models, "factorio_mnist_float", Tolerance::Quantized);
  add("cifar10_resnet8_int8qdq", models, "cifar10_resnet8_float", Tolerance::Quantized);
  add("vww_mobilenet025_96_int8qdq", models, "vww_mobilenet025_96_float", Tolerance::Quantized);
  // Its values take 750 MB per sample.
  add("fns_mosaic_std", models, "fns_mosaic_std", Tolerance::Float32, 1);
}

void ParityTest::everyValueAgrees() {
  QFETCH(QString, model);
  QFETCH(QString, data);
  QFETCH(int, samples);
  QFETCH(int, tolerance);
  if (const QString missing = PeerRun::missing(); !missing.isEmpty()) {
    QSKIP(qPrintable("skipped: " + missing));
  }
  if (!model.contains('/')) QSKIP("skipped: QUANTSCOPE_MODELS is not set");
  QVERIFY2(QFile::exists(model), qPrintable(model));

  try {
    const PeerRun peer(model, data, samples);
    const Workers workers;
    const Engine engine(importModel(model.toStdString()), workers);
    const Ratios ratios = compareAll(engine, workers, peer, static_cast<Tolerance>(tolerance));
    QVERIFY(!ratios.empty());
    qInfo("%s", qPrintable(summary(peer, ratios)));
    const QStringList failed = notExecutable(engine) + failures(peer, ratios);
    const QString shown = failed.mid(0, kShownFailures).join('\n');
    QVERIFY2(failed.isEmpty(), qPrintable("\n" + shown));
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

QUANTSCOPE_TEST(ParityTest)
#include "test_parity.moc"
