#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "support/graph_bytes.h"
#include "support/graph_text.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace quantscope::test;

/// `export --format bundle`, and `compare` with dumps of a device.
class DumpsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aBundleFollowsTheSimulation_data();
  void aBundleFollowsTheSimulation();
  void rawElementsAreRead();
  void theFirstWrongValueIsNamed();
  void aNumberThatIsNotFiniteIsASuspect();
  void dumpsOfOtherNamesAreMatchedByHand();
  void aBatchOfSeveralSamples();
  void aFullFolderIsRefused();
  void aBundleLeavesOtherFoldersAlone();
  void refusals_data();
  void refusals();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  QStringList data() const {
    return {"--data", sampleFile("digits_transformer.npz"), "--samples", "3"};
  }
  Outcome compareWith(const QString& dumps, const QStringList& more = {}) const {
    return runCli(QStringList{"compare", m_model, dumps, "--out", file("out")} + data() + more);
  }
  /// A copy of the float dumps with the value changed.
  QString copyOfDumps(const QString& name) const;
  nlohmann::json entryOf(const QString& dumps, std::size_t index) const {
    return readJson(dumps + "/manifest.json").at("values")[index];
  }

  QTemporaryDir m_folder;
  QString m_model = sampleFile("digits_transformer.onnx");
};

void DumpsTest::initTestCase() {
  const Outcome outcome = runCli(
      QStringList{"export", m_model, "--format", "bundle", "--out", file("bundle")} + data());
  QVERIFY2(outcome.status == 0, describe(outcome));
  QCOMPARE(QDir(file("bundle")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
           (QStringList{"config.json", "float", "inputs", "quantized", "ranges.json"}));
}

QString DumpsTest::copyOfDumps(const QString& name) const {
  const QString target = file(name);
  std::filesystem::copy(file("bundle/float").toStdString(), target.toStdString(),
                        std::filesystem::copy_options::recursive);
  return target;
}

void DumpsTest::aBundleFollowsTheSimulation_data() {
  QTest::addColumn<QString>("dumps");
  QTest::addColumn<QStringList>("options");
  QTest::newRow("float") << "bundle/float" << QStringList();
  QTest::newRow("quantized") << "bundle" << QStringList{"--config", "bundle/config.json"};
}

void DumpsTest::aBundleFollowsTheSimulation() {
  QFETCH(QString, dumps);
  QFETCH(QStringList, options);
  if (!options.isEmpty()) options[1] = file(options[1]);
  options << "--labels" << sampleFile("digits_transformer.labels.npy");
  const Outcome outcome = compareWith(file(dumps), options);
  QVERIFY2(outcome.status == 0 && outcome.out.contains("every value follows"), describe(outcome));
  const nlohmann::json report = readJson(file("out/compare.json"));
  QVERIFY(report.at("first_leaving").is_null() && report.at("suspects").empty());
  QVERIFY(report.at("matched").size() > 50);
  QCOMPARE(report.at("outputs").size(), std::size_t{1});
  const nlohmann::json& output = report.at("outputs")[0];
  QVERIFY2(output.at("sqnr_db") == "Infinity" && output.at("top1_agreement") == 1 &&
               output.at("accuracy_quantized") == output.at("accuracy_float"),
           output.dump().c_str());
  QVERIFY(report.at("accuracy_drop") == 0 && report.at("accuracy_drop_of") == "accuracy");
  for (const nlohmann::json& match : report.at("matched")) {
    const nlohmann::json& error = match.at("sqnr_db");
    QVERIFY2(error == "Infinity" || error.is_null(), match.dump().c_str());
  }
}

void DumpsTest::rawElementsAreRead() {
  const QString dumps = copyOfDumps("raw");
  nlohmann::json manifest = readJson(dumps + "/manifest.json");
  for (nlohmann::json& entry : manifest.at("values")) {
    if (entry.at("dtype") != "float32" || !entry.contains("file")) continue;
    const QString npy = dumps + "/" + QString::fromStdString(entry.at("file"));
    const Tensor tensor = readNpy(npy.toStdString());
    const std::string raw = entry.at("file").get<std::string>() + ".bin";
    std::ofstream(dumps.toStdString() + "/" + raw, std::ios::binary)
        .write(reinterpret_cast<const char*>(tensor.bytes()),
               static_cast<std::streamsize>(tensor.byteSize()));
    QVERIFY(QFile::remove(npy));
    entry["file"] = raw;
  }
  writeFile(m_folder, "raw/manifest.json", manifest.dump());
  const Outcome outcome = compareWith(dumps);
  QVERIFY2(outcome.status == 0 && outcome.out.contains("every value follows"), describe(outcome));
}

// All that follows a wrong value is wrong, too, but follows from what was dumped.
void DumpsTest::theFirstWrongValueIsNamed() {
  const QString dumps = copyOfDumps("wrong");
  const nlohmann::json matched = readJson(file("out/compare.json")).at("matched");
  const std::string name = matched[matched.size() / 2].at("quantized");
  const nlohmann::json manifest = readJson(dumps + "/manifest.json");
  for (const nlohmann::json& entry : manifest.at("values")) {
    if (entry.at("name") != name) continue;
    const std::string path = dumps.toStdString() + "/" + entry.at("file").get<std::string>();
    Tensor tensor = readNpy(path);
    for (float& x : tensor.mutableValues<float>()) x = 1.05F * x + 0.01F;
    writeNpy(path, tensor);
  }
  const Outcome outcome = compareWith(dumps);
  QVERIFY2(outcome.status == 0, describe(outcome));
  const nlohmann::json report = readJson(file("out/compare.json"));
  QCOMPARE(report.at("first_leaving").at("value").get<std::string>(), name);
  QVERIFY2(outcome.out.contains(QString::fromStdString(name)), describe(outcome));
}

void DumpsTest::aNumberThatIsNotFiniteIsASuspect() {
  const QString dumps = copyOfDumps("broken");
  const nlohmann::json entry = entryOf(dumps, 20);
  const std::string path = dumps.toStdString() + "/" + entry.at("file").get<std::string>();
  Tensor tensor = readNpy(path);
  tensor.mutableValues<float>().back() = std::numeric_limits<float>::quiet_NaN();
  writeNpy(path, tensor);
  const Outcome outcome = compareWith(dumps);
  QVERIFY2(outcome.status == 0 && outcome.out.contains("1 of its "), describe(outcome));
  const nlohmann::json report = readJson(file("out/compare.json"));
  QCOMPARE(report.at("first_leaving").at("value"), entry.at("name"));
  QVERIFY(report.at("suspects").at(0).at("score") == "Infinity");
}

// A tool chain has named its values anew.
void DumpsTest::dumpsOfOtherNamesAreMatchedByHand() {
  const QString dumps = copyOfDumps("renamed");
  nlohmann::json manifest = readJson(dumps + "/manifest.json");
  nlohmann::json& entry = manifest.at("values")[20];
  const std::string name = entry.at("name");
  entry["name"] = "tensor_20";
  writeFile(m_folder, "renamed/manifest.json", manifest.dump());
  const auto contains = [](const nlohmann::json& list, const std::string& wanted) {
    return std::find(list.begin(), list.end(), wanted) != list.end();
  };
  QVERIFY(compareWith(dumps).status == 0);
  const nlohmann::json before = readJson(file("out/compare.json"));
  QVERIFY(contains(before.at("unmatched").at("float"), name));
  QVERIFY(contains(before.at("unmatched").at("quantized"), "tensor_20"));

  const nlohmann::json alone = before.at("matched")[5].at("float");
  nlohmann::json hand;
  hand["matched"] = {{{"float", name}, {"quantized", "tensor_20"}},
                     {{"float", alone}, {"quantized", nullptr}}};
  writeFile(m_folder, "hand.json", hand.dump());
  const Outcome outcome = compareWith(dumps, {"--matches", file("hand.json")});
  QVERIFY2(outcome.status == 0 && outcome.out.contains("every value follows"), describe(outcome));
  const nlohmann::json after = readJson(file("out/compare.json"));
  const auto& matched = after.at("matched");
  const auto renamed = std::find_if(
      matched.begin(), matched.end(),
      [](const nlohmann::json& match) { return match.at("quantized") == "tensor_20"; });
  QVERIFY(renamed != matched.end());
  QCOMPARE(renamed->at("float").get<std::string>(), name);
  QCOMPARE(renamed->at("how").get<std::string>(), std::string("hand"));
  for (const nlohmann::json& match : matched) QVERIFY(match.at("float") != alone);
  QVERIFY(contains(after.at("unmatched").at("float"), alone));
  QVERIFY(contains(after.at("unmatched").at("quantized"), alone));

  writeFile(m_folder, "hand.json", R"({"matched": [{"float": "nowhere", "quantized": null}]})");
  const Outcome wrong = compareWith(dumps, {"--matches", file("hand.json")});
  QCOMPARE(faultOfRefusal(wrong, "'nowhere'", "inspect"), QByteArray());
}

// A network that takes two samples at once writes them one by one, and the third one filled up.
void DumpsTest::aBatchOfSeveralSamples() {
  const auto graph = graphFromText(R"(
    input x:float[2,3]
    p = MatMul(x, w:float[3,4]) @product
    r = Relu(p) @relu
    m = ReduceMean(r) axes=[0,1] keepdims=0 @mean
    output r
    output m
  )",
                                   13);
  const QString model =
      QString::fromStdString(writeFile(m_folder, "batch.onnx", onnxModelOf(*graph)));
  const QStringList samples{"--data", "random:3"};
  const Outcome run =
      runCli(QStringList{"run", model, "--values", "p,r", "--out", file("batched")} + samples);
  QVERIFY2(run.status == 0, describe(run));
  const QStringList compared{"compare", model, file("batched"), "--out", file("batched_out")};
  const Outcome same = runCli(compared + samples);
  QVERIFY2(same.status == 0 && same.out.contains("every value follows"), describe(same));
  QCOMPARE(readJson(file("batched_out/compare.json")).at("samples").get<int>(), 3);

  const nlohmann::json entry = entryOf(file("batched"), 1);
  const std::string path =
      file("batched").toStdString() + "/" + entry.at("file").get<std::string>();
  Tensor tensor = readNpy(path);
  QCOMPARE(tensor.shape()[0], 3);
  tensor.mutableValues<float>().back() += 1;
  writeNpy(path, tensor);
  const Outcome wrong = runCli(compared + samples);
  QVERIFY2(wrong.status == 0, describe(wrong));
  QCOMPARE(readJson(file("batched_out/compare.json")).at("first_leaving").at("value"), "r");
}

void DumpsTest::aFullFolderIsRefused() {
  const QStringList before = entriesBelow(m_folder.path());
  const Outcome outcome = runCli(
      QStringList{"export", m_model, "--format", "bundle", "--out", file("bundle")} + data());
  QCOMPARE(faultOfRefusal(outcome, "not empty", "new folder"), QByteArray());
  QCOMPARE(entriesBelow(m_folder.path()), before);
}

void DumpsTest::aBundleLeavesOtherFoldersAlone() {
  QVERIFY(QDir(m_folder.path()).mkpath("kept.part"));
  writeFile(m_folder, "kept.part/mine.txt", "mine");
  const Outcome outcome =
      runCli(QStringList{"export", m_model, "--format", "bundle", "--out", file("kept")} + data());
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(QFile::exists(file("kept/config.json")));
  QVERIFY(QFile::exists(file("kept.part/mine.txt")));
  QVERIFY(!QFile::exists(file("kept.part2")));
}

void DumpsTest::refusals_data() {
  QTest::addColumn<QByteArray>("manifest");
  QTest::addColumn<QString>("place");
  QTest::newRow("no JSON") << QByteArray("{") << "no JSON";
  QTest::newRow("no list") << QByteArray("{}") << "\"values\"";
  QTest::newRow("no name") << QByteArray(R"({"values":[{"file":"a.npy"}]})") << "values[0]";
  QTest::newRow("no file") << QByteArray(R"({"values":[{"name":"a"}]})") << "values[0]";
  QTest::newRow("a file outside") << QByteArray(
                                         R"({"values":[{"name":"a","file":"../secret.npy"}]})")
                                  << "../secret.npy";
  QTest::newRow("twice")
      << QByteArray(R"({"values":[{"name":"a","file":"a.npy"},{"name":"a","file":"a.npy"}]})")
      << "twice";
  QTest::newRow("raw without a shape")
      << QByteArray(R"({"values":[{"name":"a","file":"a.bin","dtype":"float32"}]})") << "shape";
  QTest::newRow("raw of another size")
      << QByteArray(
             R"({"values":[{"name":"image","file":"a.bin","dtype":"float32","shape":[3,1,16,16]}]})")
      << "bytes";
  QTest::newRow("shape with an overflow")
      << QByteArray(
             R"({"values":[{"name":"image","file":"a.bin","dtype":"float32","shape":[3,4611686018427387904,16]}]})")
      << "a.bin";
  QTest::newRow("another shape than the file")
      << QByteArray(R"({"values":[{"name":"image","file":"a.npy","shape":[3,1,16,16]}]})")
      << "another shape than the manifest says";
  QTest::newRow("no such value") << QByteArray(R"({"values":[{"name":"nowhere","file":"a.npy"}]})")
                                 << "no value";
}

void DumpsTest::refusals() {
  QFETCH(QByteArray, manifest);
  QFETCH(QString, place);
  writeFile(m_folder, "bad/manifest.json", manifest.toStdString());
  writeFile(m_folder, "bad/a.bin", "12345678");
  writeNpy(file("bad/a.npy").toStdString(), Tensor(ElementType::Float32, Shape{2, 1, 16, 16}));
  const Outcome outcome =
      runCli(QStringList{"compare", m_model, file("bad"), "--out", file("refused")} + data());
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.err.contains(place) && outcome.err.count('\n') == 1, describe(outcome));
  QVERIFY(!QDir(file("refused")).exists());
}

QUANTSCOPE_TEST(DumpsTest)
#include "test_dumps.moc"
