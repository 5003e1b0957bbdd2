#include <QTemporaryDir>
#include <QtTest>

#include "cli/command_line.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;
using nlohmann::json;

/// Results of `sensitivity` that were changed by hand, or are of another run: `merge` and
/// `--resume` say what is wrong and where.
class SensitivityFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void damaged_data();
  void damaged();
  void cutShort();
  void otherShards_data();
  void otherShards();
  void rowsOfAnotherModel();
  void aCurveIsNotKept();
  void rowsOfAnotherBackendFile();

 private:
  QString file(const QString& name) const { return m_folder.filePath(name); }
  QStringList measuring(const QStringList& more) const {
    return QStringList{"sensitivity", sampleNetwork(),
                       "--data",      sampleFile("digits_mobilenet.npz"),
                       "--samples",   "2",
                       "--types",     "int8"} +
           more;
  }
  // A change of an entry, or with null its removal.
  void change(const QString& from, const QString& to, const std::string& path,
              const json& value) const {
    json result = readJson(file(from));
    const json::json_pointer place(path);
    json& parent = result.at(place.parent_pointer());
    if (value == "removed" && parent.is_array()) {
      parent.erase(std::stoul(place.back()));
    } else if (value == "removed") {
      parent.erase(place.back());
    } else {
      result[place] = value;
    }
    writeFile(m_folder, to, result.dump());
  }

  QTemporaryDir m_folder;
};

void SensitivityFilesTest::initTestCase() {
  for (const char* shard : {"1", "2"}) {
    const Outcome outcome = runCli(
        measuring({"--shard", QString(shard) + "/2", "--json", file("part" + QString(shard))}));
    QVERIFY2(outcome.status == 0, describe(outcome));
  }
  const Outcome merged = runCli({"merge", file("part1"), file("part2"), "--json", file("whole")});
  QVERIFY2(merged.status == 0, describe(merged));
}

void SensitivityFilesTest::damaged_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("problem");
  const auto row = [](const char* path, const char* value, const QString& problem) {
    QTest::addRow("%s = %s", path, value) << path << value << problem;
  };
  row("/rows", "\"abc\"", "'rows' is no number of things");
  row("/rows", "-1", "'rows' is no number of things");
  row("/samples", "null", "'samples' is no number of things");
  row("/identity", "5", "'identity' is not a string");
  row("/types", "[\"int9\"]", "'types[0]' is none of");
  row("/shard", "[3, 2]", "'shard' is no shard I of N");
  row("/shard", "[\"1\", 2]", "'shard[0]' is no number of things");
  row("/shard", "5", "'shard' is not a list");
  row("/baseline", "5", "'baseline' is not an object");
  row("/baseline", "{\"outputs\": 5}", "'baseline.outputs' is not a list");
  row("/baseline/outputs/0/sqnr_db", "[]", "'baseline.outputs[0].sqnr_db' is no figure");
  row("/nodes", "{}", "'nodes' is not a list");
  row("/nodes/0", "[]", "'nodes[0]' is not an object");
  row("/nodes/1/node", "5", "'nodes[1].node' is not a string");
  row("/nodes/1/type", "\"intX\"", "'nodes[1].type' is none of the types");
  row("/nodes/1/type", "\"int4\"", "'nodes[1].type' is none of the types");
  row("/nodes/2/output_sqnr_db", "[]", "'nodes[2].output_sqnr_db' is no figure");
  row("/nodes/2/output_sqnr_db", "\"much\"", "'nodes[2].output_sqnr_db' is no figure");
  row("/nodes/2/local_sqnr_db", "\"removed\"", "'nodes[2]' has no key 'local_sqnr_db'");
  row("/nodes/2/outputs", "3", "'nodes[2].outputs' is not a list");
  row("/nodes/2/outputs/0", "3", "'nodes[2].outputs[0]' is not an object");
  row("/nodes/2/outputs/0/value", "\"removed\"", "'nodes[2].outputs[0]' has no key 'value'");
  row("/nodes/0/also_in_group", "[1]", "'nodes[0].also_in_group[0]' is not a string");
}

void SensitivityFilesTest::damaged() {
  QFETCH(QString, path);
  QFETCH(QString, value);
  QFETCH(QString, problem);
  change("part1", "changed", path.toStdString(), json::parse(value.toStdString()));
  const QStringList resumed{"--shard", "1/2", "--resume", file("changed"), "--json", file("out")};
  for (const QStringList& command :
       {QStringList{"merge", file("changed"), file("part2"), "--json", file("out")},
        QStringList{"merge", file("part2"), file("changed"), "--json", file("out")},
        measuring(resumed)}) {
    const Outcome outcome = runCli(command);
    const QByteArray fault = faultOfRefusal(outcome, problem, "");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY2(outcome.err.contains(file("changed")) && !outcome.err.contains("json."),
             describe(outcome));
    QVERIFY(!QFile::exists(file("out")));
  }
}

void SensitivityFilesTest::cutShort() {
  const std::string whole = readBytes(file("part1"));
  writeFile(m_folder, "changed", whole.substr(0, whole.find("\"nodes\"")));
  const Outcome outcome = runCli({"merge", file("changed"), file("part2"), "--json", file("out")});
  const QByteArray fault =
      faultOfRefusal(outcome, "the file is no result of a sensitivity analysis", "");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY2(outcome.err.contains(", line ") && outcome.err.contains(file("changed")),
           describe(outcome));
}

void SensitivityFilesTest::otherShards_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("problem");
  const auto row = [](const char* path, const QString& value, const QString& problem) {
    QTest::addRow("%s", path) << path << value << problem;
  };
  const auto text = [this](const char* part, const char* path) {
    return QString::fromStdString(readJson(file(part)).at(json::json_pointer(path)).dump());
  };
  row("/nodes/0", text("part2", "/nodes/1"), "'nodes[1]' is a second row of");
  row("/nodes/1", text("part1", "/nodes/0"), "'nodes[1]' is a second row of");
  row("/nodes/2", "\"removed\"", "23 rows together, and each says 24");
  row("/rows", "7", "'rows' is not what");
  row("/forward_passes", "1", "'forward_passes' is not what");
  row("/baseline/outputs/0/sqnr_db", "1", "'baseline' is not what");
}

// A shard that is right in itself.
void SensitivityFilesTest::otherShards() {
  QFETCH(QString, path);
  QFETCH(QString, value);
  QFETCH(QString, problem);
  change("part2", "changed", path.toStdString(), json::parse(value.toStdString()));
  const Outcome outcome = runCli({"merge", file("part1"), file("changed"), "--json", file("out")});
  const QByteArray fault = faultOfRefusal(outcome, problem, "");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

void SensitivityFilesTest::rowsOfAnotherModel() {
  change("part1", "kept", "/nodes/3/node", "nowhere");
  const Outcome outcome =
      runCli(measuring({"--shard", "1/2", "--resume", file("kept"), "--json", file("out")}));
  const QByteArray fault = faultOfRefusal(
      outcome, "'nodes[3]' is about 'nowhere' in int8, which the analysis does not measure",
      "another file");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(file("out")));
}

// The run that follows did not ask for it.
void SensitivityFilesTest::aCurveIsNotKept() {
  const QString kept = file("rows");
  const Outcome first =
      runCli(measuring({"--resume", kept, "--json", kept, "--widen", "fp32", "--worst", "0,1"}));
  QVERIFY2(first.status == 0 && readJson(kept).contains("widening"), describe(first));
  const Outcome second = runCli(measuring({"--resume", kept, "--json", file("second")}));
  QVERIFY2(second.status == 0, describe(second));
  QVERIFY(readBytes(file("second")) == readBytes(file("whole")));
}

// At the same path, so that the configuration reads alike.
void SensitivityFilesTest::rowsOfAnotherBackendFile() {
  writeFile(m_folder, "own.json", R"({"quantscope": 1, "backend": "mine.json",
      "default": {"activation": {"type": "int8", "symmetric": true}}})");
  const auto writeBackend = [&](const char* reduced) {
    writeFile(
        m_folder, "mine.json",
        std::string(R"({"quantscope_backend": 1, "name": "mine", "reduce_range": {"onnx": )") +
            reduced + R"(, "pytorch": false}, "tensors": {"t": {"types": ["int8"]}},
      "ways": [{"operators": ["Conv", "Gemm"], "mode": "static", "weight": "t",
      "activation": "t"}]})");
  };
  const auto shard = [&](const char* number, const QString& to) {
    return measuring({"--config", file("own.json"), "--shard", QString(number) + "/2", "--resume",
                      file(to), "--json", file(to)});
  };
  writeBackend("false");
  const Outcome first = runCli(shard("1", "own1"));
  QVERIFY2(first.status == 0, describe(first));
  QVERIFY(readJson(file("own1")).at("nodes").size() > 1);
  const std::string kept = readBytes(file("own1"));
  writeBackend("true");
  const Outcome second = runCli(shard("2", "own2"));
  QVERIFY2(second.status == 0, describe(second));
  const QByteArray merging =
      faultOfRefusal(runCli({"merge", file("own1"), file("own2"), "--json", file("out")}),
                     "with another backend file", "one job");
  QVERIFY2(merging.isEmpty(), merging);
  const QByteArray resuming =
      faultOfRefusal(runCli(shard("1", "own1")), "with another backend file", "another file");
  QVERIFY2(resuming.isEmpty(), resuming);
  QVERIFY(readBytes(file("own1")) == kept && !QFile::exists(file("out")));
  writeBackend("false");
  const Outcome again = runCli(shard("1", "own1"));
  QVERIFY2(again.status == 0, describe(again));
  QVERIFY(readBytes(file("own1")) == kept);
}

QUANTSCOPE_TEST(SensitivityFilesTest)
#include "test_sensitivity_files.moc"
