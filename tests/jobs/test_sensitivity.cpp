#include <QFileInfo>
#include <QtTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "analysis/analyze.h"
#include "analysis/sensitivity/early_ranking.h"
#include "base/error.h"
#include "base/files/input_file.h"
#include "calibration/calibrate.h"
#include "jobs/computation_origin.h"
#include "jobs/quantize_model.h"
#include "jobs/sample_network.h"
#include "jobs/sensitivity/run_sensitivity.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;
using nlohmann::ordered_json;

namespace {

/// A network that runs sensitivity analyses.
struct SensitivityNetwork : SampleNetwork {
  using SampleNetwork::SampleNetwork;

  std::string run(const SensitivityJob& what, const Configuration& config = {},
                  std::size_t budget = kBudget) {
    AnalysisMemory memory(budget);
    return runSensitivity(model, config, *data, *data, {}, what, memory, job);
  }
};

SensitivityJob everything(std::vector<QuantType> types) {
  SensitivityJob job;
  job.request.types = std::move(types);
  return job;
}

double decibels(const ordered_json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

}  // namespace

class SensitivityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsAreWhatAnalyzeGives_data();
  void rowsAreWhatAnalyzeGives();
  void aLayerInFloatIsItsWholePattern();
  void sensitiveIsWorseThanTheBaseline();
  void shardsMergeToOneRun();
  void whateverItRunsWithTheBytesAreTheSame_data();
  void whateverItRunsWithTheBytesAreTheSame();
  void resumedWorkEndsAlike();
  void cancelledWorkIsKept();
  void onlyAPart();
  void whatIsJoinedByHandChangesTogether_data();
  void whatIsJoinedByHandChangesTogether();
  void firstRankingFindsTheTop();
  void mistakesAreNamed();
  void originsAreNotMixed();
};

void SensitivityTest::rowsAreWhatAnalyzeGives_data() {
  QTest::addColumn<QByteArray>("sample");
  QTest::addColumn<QByteArray>("sampled");
  QTest::addColumn<bool>("around");
  const auto rows = [](const char* name, const QString& path, const QString& sampled) {
    const auto row = [&](const char* setting, bool around) {
      QTest::addRow("%s around %s", name, setting) << path.toUtf8() << sampled.toUtf8() << around;
    };
    row("float", false);
    row("the configuration", true);
  };
  for (const char* sample : {"digits_mobilenet", "digits_transformer"}) rows(sample, sample, {});
  const QString models = qEnvironmentVariable("QUANTSCOPE_MODELS");
  for (const char* model :
       {"mnist_cntk", "factorio_mnist_float", "cifar10_resnet8_bn", "vww_mobilenet025_96_float",
        "magika_v3_3", "silero_vad", "silero_vad_16k_op15", "gtcrn_simple", "ultraface_rfb320",
        "squeezenet_fp32", "vittracker"}) {
    const QString path = models + "/" + model;
    const QString sampled =
        models + "/" + (model == QString("silero_vad") ? "silero_vad_16k_op15" : model);
    if (QFileInfo::exists(path + ".onnx") && QFileInfo::exists(sampled + ".npz")) {
      rows(model, path, sampled);
    }
  }
}

// Against a whole analysis of the written-out configuration, to the last digit.
void SensitivityTest::rowsAreWhatAnalyzeGives() {
  QFETCH(const QByteArray, sample);
  QFETCH(const bool, around);
  QFETCH(const QByteArray, sampled);
  SensitivityNetwork network(sample.toStdString(), 2, 4, sampled.toStdString());
  SensitivityJob what = everything({QuantType::Int8, QuantType::Int4, QuantType::Float16});
  if (around) what.request.around = SensitivityRequest::Around::Configuration;
  const ordered_json result = ordered_json::parse(network.run(what));
  QVERIFY(result["nodes"].size() > (sample.startsWith("digits") ? 20 : 0));
  QCOMPARE(result["nodes"].size(), result["rows"].get<std::size_t>());
  const Engine& engine = *network.model.engine;
  const Observations observations = calibrate(engine, *network.data, {}, network.job);
  std::mt19937 random(5);
  for (int i = 0; i < 12; ++i) {
    const ordered_json& row = result["nodes"][random() % result["nodes"].size()];
    if (row.contains("refused")) continue;
    ordered_json precision{{"weight", {{"type", row["type"]}}}};
    const std::string type = row["type"];
    const char* activation = type == "int8" ? "uint8" : type == "int4" ? "uint4" : "fp16";
    for (const char* part : {"activation", "output"}) {
      precision[part] = {{"type", activation}, {"symmetric", type == "fp16"}};
    }
    ordered_json json{{"quantscope", 1}};
    if (!around) json["default"] = "fp32";
    json["nodes"][row["node"].get<std::string>()] = precision;
    const Configuration config = parseConfiguration(json.dump(), "config");
    const QuantizedModel model = quantizeModel(engine, config, observations);
    AnalysisMemory memory(kBudget);
    const AnalysisResult expected =
        analyze(engine, config, model, observations, *network.data, {}, memory, network.job);
    const auto compared = std::ranges::find_if(
        expected.outputs, [](const OutputResult& each) { return each.error.count > 0; });
    const OutputResult& output = *compared;
    const double measured = decibels(row["output_sqnr_db"]);
    QVERIFY2(measured == *output.error.sqnrDb, qPrintable(QString::fromStdString(row.dump())));
    if (output.kl) QVERIFY(row["output_kl"].get<double>() == *output.kl);
    if (output.top1Agreement) {
      QVERIFY(row["top1_agreement"].get<double>() == *output.top1Agreement);
    }
    for (const LayerResult& layer : expected.layers) {
      if (layer.name != row["node"].get<std::string>() || !layer.local) continue;
      const Graph& graph = engine.graph();
      const ValueId value = graph[layer.node].outputs.at(0);
      // Not measured inside of an If's bodies.
      if (graph[value].block != Graph::mainBlock() && row["local_sqnr_db"].is_null()) continue;
      QVERIFY(decibels(row["local_sqnr_db"]) == *layer.local->total.sqnrDb);
    }
  }
}

// With the convolution alone in float its followers would be quantized by themselves.
void SensitivityTest::aLayerInFloatIsItsWholePattern() {
  SensitivityNetwork network("digits_mobilenet", 2, 8);
  SensitivityJob what = everything({QuantType::Float32});
  what.request.around = SensitivityRequest::Around::Configuration;
  const ordered_json result = ordered_json::parse(network.run(what));
  const std::string scope = "/features/features.0/depthwise/";
  const auto row = std::ranges::find_if(result["nodes"], [&](const ordered_json& each) {
    return each["node"] == scope + "conv/Conv";
  });
  QVERIFY(row != result["nodes"].end());
  ordered_json json{{"quantscope", 1}};
  for (const char* member : {"conv/Conv", "norm/BatchNormalization", "act/Clip"}) {
    QVERIFY(network.model.graph->findNode(scope + member).valid());
    json["nodes"][scope + member] = "fp32";
  }
  const Configuration config = parseConfiguration(json.dump(), "config");
  const Engine& engine = *network.model.engine;
  const Observations observations = calibrate(engine, *network.data, {}, network.job);
  AnalysisMemory memory(kBudget);
  const AnalysisResult expected =
      analyze(engine, config, quantizeModel(engine, config, observations), observations,
              *network.data, {}, memory, network.job);
  QVERIFY((*row)["output_sqnr_db"].get<double>() == *expected.outputs.at(0).error.sqnrDb);
}

// A configuration that is bad itself, of which no layer makes much worse and some much better.
void SensitivityTest::sensitiveIsWorseThanTheBaseline() {
  SensitivityNetwork network("digits_mobilenet", 2, 16);
  SensitivityJob what = everything({QuantType::Float32, QuantType::Int8});
  what.request.around = SensitivityRequest::Around::Configuration;
  const QTemporaryDir folder;
  what.resume = folder.filePath("rows").toStdString();
  const Configuration config =
      readConfiguration(std::filesystem::path(QUANTSCOPE_SAMPLES_DIRECTORY) / "per_tensor.json");
  const ordered_json result = ordered_json::parse(network.run(what, config));
  const double before = result["baseline"]["outputs"][0]["top1_agreement"];
  QVERIFY(before < 0.9);
  std::size_t sensitive = 0;
  for (const ordered_json& row : result["nodes"]) {
    QVERIFY(row["sensitive"] == (before - row["top1_agreement"].get<double>() > 0.01));
    sensitive += row["sensitive"] ? 1 : 0;
  }
  QVERIFY(sensitive < result["nodes"].size() / 2);
  // What an earlier program has said of kept rows.
  ordered_json old = result;
  for (ordered_json& row : old["nodes"]) row["sensitive"] = true;
  test::writeFile(folder, "rows", old.dump());
  QVERIFY(ordered_json::parse(network.run(what, config)) == result);
}

void SensitivityTest::shardsMergeToOneRun() {
  SensitivityNetwork network("digits_mobilenet");
  SensitivityJob what = everything({QuantType::Int8, QuantType::Int4});
  const std::string whole = network.run(what);
  const QTemporaryDir folder;
  std::vector<std::filesystem::path> files;
  for (const std::size_t number : {3, 1, 2}) {
    what.shard = Shard{number, 3};
    files.emplace_back(test::writeFile(folder, QString::number(number), network.run(what)));
  }
  QVERIFY(mergeSensitivity(files) == whole);
}

void SensitivityTest::whateverItRunsWithTheBytesAreTheSame_data() {
  QTest::addColumn<int>("threads");
  QTest::addColumn<qint64>("budget");
  QTest::newRow("one thread") << 1 << qint64{kBudget};
  QTest::newRow("seven threads") << 7 << qint64{kBudget};
  QTest::newRow("no memory") << 2 << qint64{0};
}

void SensitivityTest::whateverItRunsWithTheBytesAreTheSame() {
  QFETCH(const int, threads);
  QFETCH(const qint64, budget);
  const SensitivityJob what = everything({QuantType::Int8});
  const std::string expected = SensitivityNetwork("digits_mobilenet").run(what);
  SensitivityNetwork other("digits_mobilenet", threads);
  QVERIFY(other.run(what, {}, static_cast<std::size_t>(budget)) == expected);
}

// What a stopped run leaves behind is a file with some of the rows.
void SensitivityTest::resumedWorkEndsAlike() {
  SensitivityNetwork network("digits_transformer");
  SensitivityJob what = everything({QuantType::Int8});
  const std::string expected = network.run(what);
  const QTemporaryDir folder;
  const std::filesystem::path file = folder.filePath("work.json").toStdString();
  what.resume = file;
  ordered_json partial = ordered_json::parse(expected);
  const std::size_t rows = partial["nodes"].size();
  for (const std::size_t left : {std::size_t{0}, rows / 2, rows - 1, rows}) {
    ordered_json nodes = ordered_json::array();
    for (std::size_t i = 0; i < left; ++i) nodes.push_back(partial["nodes"][rows - 1 - i]);
    ordered_json before = partial;
    before["nodes"] = nodes;
    test::writeFile(folder, "work.json", before.dump());
    QVERIFY(network.run(what) == expected);
  }
  std::filesystem::remove(file);
  QVERIFY(network.run(what) == expected);
  QVERIFY(std::filesystem::exists(file));
}

// As an incomplete result, which may be resumed from, and is no shard to merge.
void SensitivityTest::cancelledWorkIsKept() {
  SensitivityNetwork network("digits_mobilenet");
  SensitivityJob what = everything({QuantType::Int8});
  what.shard = Shard{1, 2};
  const std::string expected = network.run(what);
  const auto cancelledAt = [&](const std::string& stage) {
    JobContext* running = nullptr;
    JobContext job(network.workers, [&](const Progress& progress) {
      if (progress.stage.starts_with(stage)) running->requestCancel();
    });
    running = &job;
    AnalysisMemory memory(kBudget);
    return runSensitivity(network.model, {}, *network.data, *network.data, {}, what, memory, job);
  };
  QVERIFY_THROWS_EXCEPTION(Cancelled, cancelledAt("Layers 9 "));
  std::string noticed;
  what.notice = [&](const std::string& sentence) { noticed = sentence; };
  what.keepsFinished = [] {};
  QVERIFY_THROWS_EXCEPTION(Cancelled, cancelledAt("Layers 1 "));
  const std::string text = cancelledAt("Layers 9 ");
  const ordered_json result = ordered_json::parse(text);
  QCOMPARE(result["nodes"].size(), std::size_t{8});
  QVERIFY(result["complete"] == false && result["rows"].get<int>() > 8);
  const std::size_t all = ordered_json::parse(expected)["nodes"].size();
  QCOMPARE(noticed, "the result is incomplete: 8 of " + std::to_string(all) +
                        " rows are measured; name its file with --resume to go on");
  const QTemporaryDir folder;
  what.resume = test::writeFile(folder, "rows", text);
  QVERIFY(test::contains(errorText([&] { mergeSensitivity({*what.resume}); }),
                         "the shard is incomplete"));
  QVERIFY(network.run(what) == expected);
}

void SensitivityTest::whatIsJoinedByHandChangesTogether_data() {
  QTest::addColumn<bool>("around");
  QTest::newRow("around float") << false;
  QTest::newRow("around the configuration") << true;
}

// One row for all of them, which is not that of the first one alone.
void SensitivityTest::whatIsJoinedByHandChangesTogether() {
  QFETCH(const bool, around);
  SensitivityNetwork network("digits_mobilenet");
  const Configuration joined = parseConfiguration(
      R"({"quantscope": 1, "groups": {"join": [["/features/features.1/depthwise/act/Clip",
                                               "/features/features.4/depthwise/act/Clip"]]}})",
      "joined");
  SensitivityJob what = everything({around ? QuantType::Float16 : QuantType::Int4});
  if (around) what.request.around = SensitivityRequest::Around::Configuration;
  const ordered_json apart = ordered_json::parse(network.run(what));
  const ordered_json result = ordered_json::parse(network.run(what, joined));
  QCOMPARE(result["nodes"].size() + 1, apart["nodes"].size());
  const auto rowOf = [](const ordered_json& of, const char* feature) {
    for (const ordered_json& row : of["nodes"]) {
      const std::string name = std::string("/features/") + feature + "/depthwise/conv/Conv";
      if (row["node"] == name) return row;
    }
    return ordered_json();
  };
  const ordered_json row = rowOf(result, "features.1");
  QVERIFY(!row.is_null() && !row.contains("refused"));
  QVERIFY(rowOf(result, "features.4").is_null());
  QVERIFY(test::contains(row["also_in_group"].dump(), "/features/features.4/depthwise/conv/Conv"));
  QVERIFY(row["output_sqnr_db"] != rowOf(apart, "features.1")["output_sqnr_db"]);
  // Both are widened, though one has no row; half of them alone cannot be.
  what.request.types = {QuantType::Int4};
  const std::size_t layers = apart["nodes"].size();
  what.widening = WideningJob{QuantType::Float32, {layers}};
  const ordered_json widened = ordered_json::parse(network.run(what, joined))["widening"];
  QCOMPARE(widened["order"].size(), layers);
  QCOMPARE(widened["points"].size(), std::size_t{1});
}

void SensitivityTest::onlyAPart() {
  SensitivityNetwork network("digits_mobilenet");
  SensitivityJob what = everything({QuantType::Int8});
  const auto meanOf = [&](PrecisionPart part) {
    what.request.part = part;
    const ordered_json result = ordered_json::parse(network.run(what));
    double sum = 0;
    std::size_t count = 0;
    for (const ordered_json& row : result["nodes"]) {
      const double value = decibels(row["output_sqnr_db"]);
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
    return sum / static_cast<double>(count);
  };
  const double both = meanOf(PrecisionPart::Both);
  QVERIFY(meanOf(PrecisionPart::Weights) > both);
  QVERIFY(meanOf(PrecisionPart::Activations) > both);
}

// On few samples and for any number of threads; what it has measured is not measured again.
void SensitivityTest::firstRankingFindsTheTop() {
  constexpr std::size_t kTop = 10;
  std::vector<std::size_t> before;
  for (const int threads : {1, 3}) {
    SensitivityNetwork network("digits_mobilenet", threads, 32);
    SensitivityRequest request;
    request.types = {QuantType::Int8, QuantType::Int4};
    const Configuration config;
    const Observations observations =
        calibrate(*network.model.engine, *network.data, {}, network.job);
    AnalysisMemory memory(kBudget);
    Sensitivity sensitivity(*network.model.engine, config, observations, request, *network.data, {},
                            memory, network.job);
    std::vector<std::size_t> items(sensitivity.items().size());
    std::iota(items.begin(), items.end(), std::size_t{0});
    const EarlyRanking early = rankEarly(sensitivity, *network.data, items, kTop);
    QVERIFY(early.samples * 10 <= 32);
    QVERIFY(std::ranges::is_permutation(early.places, items));
    if (!before.empty()) QVERIFY(early.places == before);
    before = early.places;
    const std::vector<std::optional<double>> exact =
        sensitivity.firstOutputOn(*network.data, items, "All samples");
    std::ranges::stable_sort(items, {}, [&](std::size_t place) { return exact[place].value(); });
    const auto end = early.places.begin() + kTop;
    const auto found = std::count_if(items.begin(), items.begin() + kTop, [&](std::size_t place) {
      return std::find(early.places.begin(), end, place) != end;
    });
    QVERIFY2(found >= 8, qPrintable(QString::number(found)));
  }
}

void SensitivityTest::mistakesAreNamed() {
  SensitivityNetwork network("digits_mobilenet");
  SensitivityJob what = everything({QuantType::Int8});
  what.shard = Shard{1, 2};
  const QTemporaryDir folder;
  const auto at = [&](const char* name) {
    return std::filesystem::path(folder.filePath(name).toStdString());
  };
  test::writeFile(folder, "first", network.run(what));
  test::writeFile(folder, "text", std::string("nothing"));
  const auto problem = [&](const std::vector<std::filesystem::path>& files) {
    return QString::fromStdString(errorText([&] { mergeSensitivity(files); }));
  };
  QVERIFY(problem({at("first")}).contains("shard 2 of 2 is missing"));
  QVERIFY(problem({at("first"), at("first")}).contains("shard 1 is there twice"));
  QVERIFY(problem({at("text")}).contains("is no result of a sensitivity analysis"));
  ordered_json later = ordered_json::parse(readFile(at("first"), kBudget));
  later["sensitivity"] = 2;
  test::writeFile(folder, "later", later.dump());
  QVERIFY(problem({at("later")}).contains("is of another version of the program"));
  QVERIFY(problem({at("none")}).contains("none"));
  what.request.types = {QuantType::Int4};
  what.shard = Shard{2, 2};
  test::writeFile(folder, "other", network.run(what));
  QVERIFY(problem({at("first"), at("other")}).contains("is with other settings than the first"));
  what.resume = at("first");
  const auto resumed = [&](SensitivityNetwork& by) {
    return QString::fromStdString(errorText([&] { by.run(what); }));
  };
  QVERIFY(resumed(network).contains("the work to resume is with other settings"));
  what.request.types = {QuantType::Int8};
  QVERIFY(resumed(network).contains("the work to resume is of another shard"));
  what.shard = Shard{1, 2};
  SensitivityNetwork more("digits_mobilenet", 2, 5);
  QVERIFY(resumed(more).contains("the work to resume is of other samples or labels ("));
  SensitivityNetwork other("digits_transformer");
  QVERIFY(resumed(other).contains(
      "the work to resume is of another model and of other samples or labels ("));
  ordered_json old = ordered_json::parse(readFile(at("first"), kBudget));
  old.erase("hashes");
  test::writeFile(folder, "first", old.dump());
  QVERIFY(resumed(more).contains("the work to resume is of another model, data or setting"));
}

// Figures of another program or processor may differ in their last digits.
void SensitivityTest::originsAreNotMixed() {
  SensitivityNetwork network("digits_mobilenet");
  SensitivityJob what = everything({QuantType::Int8});
  const QTemporaryDir folder;
  std::vector<std::filesystem::path> files;
  for (const std::size_t number : {1, 2}) {
    what.shard = Shard{number, 2};
    files.emplace_back(test::writeFile(folder, QString::number(number), network.run(what)));
  }
  const ordered_json second = ordered_json::parse(readFile(files[1], kBudget));
  QCOMPARE(second["origin"].get<std::string>(), figuresOrigin());
  what.resume = files[1];
  for (const char* origin : {"quantscope 0.1; oneDNN 1.0.0 isa 7", ""}) {
    ordered_json changed = second;
    changed["origin"] = origin;
    if (*origin == '\0') changed.erase("origin");
    test::writeFile(folder, "2", changed.dump());
    for (const std::string& refusal :
         {errorText([&] { mergeSensitivity(files); }), errorText([&] { network.run(what); })}) {
      QVERIFY2(test::contains(refusal, "of another program or processor: '"), refusal.c_str());
      QVERIFY2(test::contains(refusal, figuresOrigin()), refusal.c_str());
      QVERIFY2(test::contains(refusal, *origin == '\0' ? "an older program" : origin),
               refusal.c_str());
      QVERIFY2(test::contains(refusal, "DNNL_MAX_CPU_ISA"), refusal.c_str());
    }
  }
}

QUANTSCOPE_TEST(SensitivityTest)
#include "test_sensitivity.moc"
