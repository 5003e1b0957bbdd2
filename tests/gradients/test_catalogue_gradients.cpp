// The catalogue's networks, which QUANTSCOPE_MODELS leads to.

#include <QtTest>
#include <cmath>

#include "base/workers.h"
#include "calibration/open_samples.h"
#include "engine/gradients/gradient_registry.h"
#include "gradients/gradient_case.h"
#include "onnx/import.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QString modelsFolder() {
  return qEnvironmentVariable("QUANTSCOPE_MODELS");
}

// Ones at the first output; what comes is hashed, so that it need not be kept.
class Digest final : public ReverseListener {
 public:
  explicit Digest(ValueId output) : m_output(output) {}
  std::vector<std::vector<Tensor>> begin(const Values& values) override {
    const Tensor y = values.find(m_output).tensor;
    Tensor ones(ElementType::Float32, y.shape());
    std::ranges::fill(ones.mutableValues<float>(), 1.0F);
    return {{ones}};
  }
  void take(ValueId source, std::span<const Tensor> cotangents, const Values&) override {
    m_hasher.add(static_cast<std::uint64_t>(source.at()));
    if (!cotangents[0].defined()) return;
    const Tensor plain = toLayout(cotangents[0], Layout::Plain);
    m_hasher.add(std::span(plain.bytes(), plain.byteSize()));
    finite = finite &&
             std::ranges::all_of(plain.values<float>(), [](float x) { return std::isfinite(x); });
    ++count;
  }
  ContentId id() const { return m_hasher.id(); }
  bool finite = true;
  int count = 0;

 private:
  ValueId m_output;
  ContentHasher m_hasher;
};

}  // namespace

class CatalogueGradientsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void operatorsHaveGradients();
  void budgetsAndThreadsChangeNoBit_data();
  void budgetsAndThreadsChangeNoBit();
};

// All operators of the float networks, but for control flow and what computes with codes.
void CatalogueGradientsTest::operatorsHaveGradients() {
  if (modelsFolder().isEmpty()) QSKIP("QUANTSCOPE_MODELS is not set");
  QSet<QString> missing;
  int nodes = 0;
  for (const QString& file : QDir(modelsFolder()).entryList({"*.onnx"}, QDir::Files)) {
    if (file.contains("int8")) continue;
    const auto graph = importModel((modelsFolder() + "/" + file).toStdString());
    for (const NodeId id : graph->main().nodes) {
      const Node& node = (*graph)[id];
      ++nodes;
      if (isControlFlow(node)) continue;
      if (gradientRegistry().find(node) == nullptr) missing << QString::fromStdString(node.op);
    }
  }
  QVERIFY(nodes > 1000);
  QVERIFY2(missing.isEmpty(), qPrintable(QStringList(missing.begin(), missing.end()).join(' ')));
}

void CatalogueGradientsTest::budgetsAndThreadsChangeNoBit_data() {
  QTest::addColumn<QString>("name");
  for (const char* name :
       {"cifar10_resnet8_bn", "vww_mobilenet025_96_bn", "squeezenet_fp32", "squeezenet_fp16",
        "fastestdet", "vittracker", "gtcrn_simple", "ultraface_rfb320", "basic_pitch_nmp"}) {
    QTest::newRow(name) << QString(name);
  }
}

void CatalogueGradientsTest::budgetsAndThreadsChangeNoBit() {
  if (modelsFolder().isEmpty()) QSKIP("QUANTSCOPE_MODELS is not set");
  QFETCH(QString, name);
  const QString path = modelsFolder() + "/" + name;
  const Workers one(1);
  const auto graph = importModel((path + ".onnx").toStdString());
  const Engine engine(graph, one);
  const auto samples = openSamples((path + ".npz").toStdString(), *graph, {});
  const Feed feed = samples->read(0);
  std::vector<ReverseSource> sources;
  for (std::size_t i = 0; i < graph->values().size(); ++i) {
    const Value& value = graph->values()[i];
    const Tensor* constant = engine.constant(ValueId(i));
    const bool real = value.type.element && isFloat(*value.type.element);
    // Numbers such as exponents are left out: a power of a negative base has no derivative by them.
    const bool counts = constant == nullptr || constant->elementCount() > 1;
    if (value.block == Graph::mainBlock() && real && counts) sources.push_back({ValueId(i), {}});
  }
  const ValueId output = graph->outputs()[0];
  const ReversePass pass(engine, {output}, sources);
  ContentId reference;
  for (const int threads : {1, 3}) {
    for (const std::size_t budget : {std::size_t{0}, std::size_t{4} << 20}) {
      const Workers workers(threads);
      const JobContext job(workers);
      Digest digest(output);
      workers.run([&] { pass.run(feed.inputs, digest, budget, job); });
      QVERIFY(digest.finite);
      QVERIFY(digest.count > 10);
      if (!reference.valid()) reference = digest.id();
      QCOMPARE(toString(digest.id()), toString(reference));
    }
  }
}

QUANTSCOPE_TEST(CatalogueGradientsTest)
#include "test_catalogue_gradients.moc"
