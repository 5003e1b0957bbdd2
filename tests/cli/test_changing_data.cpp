#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "cli/command_line.h"
#include "support/npy_bytes.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope::test;

namespace {

constexpr std::size_t kPixels = 256;
constexpr std::size_t kDigits = 16;

/// Does something to a file again and again until it is destroyed.
class Meddler {
 public:
  explicit Meddler(std::function<void(std::size_t)> meddle)
      : m_thread([this, meddle = std::move(meddle)] {
          for (std::size_t time = 0; !m_done; ++time) meddle(time);
        }) {}
  ~Meddler() {
    m_done = true;
    m_thread.join();
  }
  Meddler(const Meddler&) = delete;
  Meddler& operator=(const Meddler&) = delete;

 private:
  std::atomic<bool> m_done = false;
  std::thread m_thread;
};

std::string pixels(float value) {
  const std::vector<float> all(kDigits * kPixels, value);
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)};
}

}  // namespace

/// Samples that change while a command is at work with them.
class ChangingDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void nothingIsMixed_data();
  void nothingIsMixed();
  void touchedAlone_data();
  void touchedAlone();
  void resultsBesideTheData_data();
  void resultsBesideTheData();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  /// Each time other pixels, in place.
  void overwrite(std::size_t time) const;
  void touch() const;
  QStringList command(const QString& words) const;

  std::unique_ptr<QTemporaryDir> m_folder;
  std::string m_head = npyBytes(npyDictionary("<f4", "(16, 1, 16, 16)"), "");
};

void ChangingDataTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  writeFile(*m_folder, "data.npy", m_head + pixels(0.5F));
}

void ChangingDataTest::overwrite(std::size_t time) const {
  std::fstream data(file("data.npy").toStdString(), std::ios::in | std::ios::out);
  data.seekp(static_cast<std::streamoff>(m_head.size()));
  data << pixels(0.5F + static_cast<float>(time) * 0x1p-20F);
}

void ChangingDataTest::touch() const {
  std::filesystem::last_write_time(file("data.npy").toStdString(),
                                   std::filesystem::file_time_type::clock::now());
}

// MODEL, DATA and OUT stand for what the test gives.
QStringList ChangingDataTest::command(const QString& words) const {
  QStringList arguments = words.split(' ');
  arguments.replaceInStrings("MODEL", sampleNetwork());
  arguments.replaceInStrings("DUMPS", file("dumps"));
  arguments.replaceInStrings("DATA", file("data.npy"));
  arguments.replaceInStrings("OUT", file("out"));
  return arguments;
}

void ChangingDataTest::nothingIsMixed_data() {
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const char* words) { QTest::newRow(name) << words; };
  row("run", "run MODEL --data DATA --out OUT");
  row("calibrate", "calibrate MODEL --data DATA --out OUT");
  row("calibration of a run",
      "errors MODEL --data random:2 --calibration DATA --layer /stem/conv/Conv");
  row("analyze", "analyze MODEL --data DATA --out OUT");
  row("analyze into a project", "analyze MODEL --data DATA --project OUT.qsproj --out OUT");
  row("errors", "errors MODEL --data DATA --layer /stem/conv/Conv");
  row("export csv", "export MODEL --data DATA --format csv --out OUT");
  row("export an ONNX file", "export MODEL --data DATA --format qdq-onnx --out OUT");
  row("export a bundle", "export MODEL --data DATA --format bundle --out OUT");
  row("export a report", "export MODEL --data DATA --format html --out OUT");
  row("sensitivity", "sensitivity MODEL --data DATA --types int8");
  row("optimize", "optimize MODEL --data DATA --budget bits=10 --out OUT");
  row("repair", "repair MODEL --data DATA --steps bias-correction --out OUT");
  row("train", "train MODEL --data DATA --training-steps 1 --out OUT");
  row("compare models", "compare MODEL MODEL --data DATA --out OUT");
  row("compare dumps", "compare MODEL DUMPS --data DATA --out OUT");
}

// A command may be over before anything was written; then it is run again.
void ChangingDataTest::nothingIsMixed() {
  QFETCH(QString, words);
  if (words.contains("DUMPS")) {
    const Outcome dumped = runCli(command("run MODEL --data DATA --out DUMPS"));
    QVERIFY2(dumped.status == 0, describe(dumped));
  }
  const QStringList before = entriesBelow(m_folder->path());
  constexpr int kTries = 20;
  Outcome outcome;
  for (int i = 0; i < kTries; ++i) {
    const Meddler meddler([this](std::size_t time) { overwrite(time); });
    outcome = runCli(command(words));
    if (outcome.status != 0) break;
    QDir(file("out")).removeRecursively();
    QFile::remove(file("out"));
  }
  const QByteArray fault = faultOfRefusal(outcome, "data.npy", "start again");
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY2(outcome.err.contains("has changed while it was in use"), describe(outcome));
  QCOMPARE(entriesBelow(m_folder->path()), before);
}

void ChangingDataTest::touchedAlone_data() {
  QTest::addColumn<QString>("words");
  for (const char* name : {"run", "calibrate", "analyze"}) {
    QTest::newRow(name) << QString("%1 MODEL --data DATA --out OUT").arg(name);
  }
}

void ChangingDataTest::touchedAlone() {
  QFETCH(QString, words);
  const Meddler meddler([this](std::size_t /*time*/) { touch(); });
  const Outcome outcome = runCli(command(words));
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(QFile::exists(file("out")));
}

void ChangingDataTest::resultsBesideTheData_data() {
  QTest::addColumn<QString>("words");
  for (const char* name : {"run", "calibrate", "analyze"}) {
    QTest::newRow(name) << QString("%1 MODEL --preprocess HOW --data ").arg(name);
  }
}

// A folder of images that takes the results as well.
void ChangingDataTest::resultsBesideTheData() {
  QFETCH(QString, words);
  const std::string png =
      pngBytes({.width = 16, .height = 16, .colorType = 0, .rows = std::string(256, 'a')});
  writeFile(*m_folder, "images/a.png", png);
  writeFile(*m_folder, "how.json", R"({"size":[16,16],"resize":"stretch","color":"gray"})");
  QStringList arguments = command(words.trimmed());
  arguments.replaceInStrings("HOW", file("how.json"));
  const Outcome outcome = runCli(arguments << file("images") << "--out" << file("images/out"));
  QVERIFY2(outcome.status == 0, describe(outcome));
  QVERIFY(QFile::exists(file("images/out")));
}

QUANTSCOPE_TEST(ChangingDataTest)
#include "test_changing_data.moc"
