// The figures come from the catalogue's models, which QUANTSCOPE_MODELS leads to.

#include <QFileInfo>
#include <QtTest>
#include <algorithm>

#include "analysis/bad_layers.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "detectors/findings/finding_kinds.h"
#include "jobs/analysis/run_analysis.h"
#include "support/test_main.h"

using namespace quantscope;

/// For the worst layers of every model, a finding names the largest part of their error.
class NamedCausesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void worstLayersAreExplained();
};

namespace {

constexpr std::size_t kSamples = 4;
constexpr std::size_t kWorst = 3;

struct CatalogueModel {
  const char* name;
  const char* data;
};
constexpr CatalogueModel kModels[] = {
    {"mnist_cntk", "mnist_cntk"},
    {"factorio_mnist_float", "factorio_mnist_float"},
    {"cifar10_resnet8_float", "cifar10_resnet8_float"},
    {"cifar10_resnet8_bn", "cifar10_resnet8_bn"},
    {"vww_mobilenet025_96_float", "vww_mobilenet025_96_float"},
    {"vww_mobilenet025_96_bn", "vww_mobilenet025_96_bn"},
    {"mobilenet_v1_025_224_imagenet", "mobilenet_v1_025_224_imagenet"},
    {"squeezenet_fp32", "squeezenet_fp32"},
    {"squeezenet_fp16", "squeezenet_fp16"},
    {"ultraface_rfb320", "ultraface_rfb320"},
    {"ultraface_rfb320_simplified", "ultraface_rfb320"},
    {"fastestdet", "fastestdet"},
    {"vittracker", "vittracker"},
    {"magika_v3_3", "magika_v3_3"},
    {"gtcrn_simple", "gtcrn_simple"},
    {"gtcrn", "gtcrn_simple"},
    {"gtcrn_unrolled_x4", "gtcrn_unrolled_x4"},
    {"silero_vad_16k_op15", "silero_vad_16k_op15"},
    {"silero_vad", "silero_vad_16k_op15"},
    {"supres_core", "supres_core"},
    {"basic_pitch_nmp", "basic_pitch_nmp"},
};

/// How many of a model's worst layers are explained.
struct Explained {
  std::size_t named = 0;
  std::size_t all = 0;
  std::size_t withoutBudget = 0;  ///< of all: in sub-graphs, where no part is measured alone
  QStringList missing;
};

SnapshotPtr analysed(const QString& folder, const CatalogueModel& catalogued, JobContext& job) {
  OpenedAnalysis opened;
  opened.model = loadModel((folder + "/" + catalogued.name + ".onnx").toStdString(), job);
  SourceOptions options;
  options.samples = kSamples;
  const std::string data = (folder + "/" + catalogued.data + ".npz").toStdString();
  opened.data = std::make_shared<SampleSet>(openSamples(data, *opened.model.graph, options));
  opened.calibration = opened.data;
  opened.request.model = opened.model.file;
  opened.request.data = data;
  AnalysisMemory memory(std::size_t{512} << 20);
  return runAnalysis(opened, nullptr, memory, job);
}

Explained explainedIn(const AnalysisSnapshot& shown) {
  const ResolvedConfig resolved(shown.graph(), *shown.request.config.precision);
  const auto backend = findBackend(shown.request.config.precision->backend);
  const ModelIndex index(shown.graph(), *shown.quantized);
  const JudgedLayers layers(*shown.model.engine, *shown.quantized, DetectorMode::Quantscope);
  const DetectorInput input{.engine = *shown.model.engine,
                            .configuration = shown.request.config,
                            .precision = resolved,
                            .backend = *backend,
                            .observations = *shown.observations,
                            .model = *shown.quantized,
                            .index = index,
                            .layers = layers,
                            .result = *shown.result};
  std::vector<const LayerResult*> rows;
  for (const LayerResult& row : shown.result->layers) {
    if (ownDb(row) < std::numeric_limits<double>::infinity()) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, [](const LayerResult* row) { return ownDb(*row); });
  rows.resize(std::min(rows.size(), kWorst));
  Explained explained;
  for (const LayerResult* row : rows) {
    ++explained.all;
    const auto largest = row->budget ? dominatingPart(*row->budget) : std::nullopt;
    if (!largest) ++explained.withoutBudget;
    const bool named =
        largest && std::ranges::any_of(shown.detected->findings, [&](const Finding& finding) {
          const bool about = finding.node == row->node ||
                             std::ranges::find(finding.members, row->node) != finding.members.end();
          if (!about) return false;
          const auto parts = partsNamed(input, finding, row->node);
          const bool applicable = finding.suggestion && !finding.suggestion->changes.empty();
          return applicable && std::ranges::find(parts, largest->part) != parts.end();
        });
    explained.named += named;
    if (!named) explained.missing << QString::fromStdString(row->name);
  }
  return explained;
}

}  // namespace

void NamedCausesTest::worstLayersAreExplained() {
  const QString folder = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (folder.isEmpty()) QSKIP("QUANTSCOPE_MODELS is not set");
  const Workers workers(2);
  Explained sum;
  for (const CatalogueModel& catalogued : kModels) {
    JobContext job(workers);
    const SnapshotPtr shown = analysed(folder, catalogued, job);
    const Explained explained = explainedIn(*shown);
    qInfo("%-30s %zu of %zu named%s%s", catalogued.name, explained.named, explained.all,
          explained.missing.empty() ? "" : "; not: ", qPrintable(explained.missing.join(", ")));
    sum.named += explained.named;
    sum.all += explained.all;
    sum.withoutBudget += explained.withoutBudget;
  }
  const double share = static_cast<double>(sum.named) / static_cast<double>(sum.all);
  qInfo(
      "a finding with a change names the dominating part of %zu of %zu worst layers: %.1f %% "
      "(%zu are in sub-graphs, where no part is measured alone)",
      sum.named, sum.all, 100 * share, sum.withoutBudget);
  QVERIFY(share >= 0.95);
}

QUANTSCOPE_TEST(NamedCausesTest)
#include "test_named_causes.moc"
