#include <QTemporaryDir>
#include <QtTest>
#include <limits>

#include "cli/command_line.h"
#include "support/npy_bytes.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"

using namespace quantscope::test;

/// Data that do not fit the bundled network (input `image`: float32 [batch, 1, 16, 16]).
class BadDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void refused_data();
  void refused();
  void badImages_data();
  void badImages();
  void nothingToPreprocess();
  void nothingToSeed();
  void badLabels_data();
  void badLabels();
  void labelOfNoClass();

 private:
  QString file(const QString& name) const { return m_folder->filePath(name); }
  QByteArray faultOf(QStringList command, const QString& place, const QString& remedy) const;
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

constexpr std::size_t kImage = 256;

std::string floats(std::size_t count, float value) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return bytes;
}

std::string array(const char* type, const char* shape, const std::string& elements) {
  return npyBytes(npyDictionary(type, shape), elements);
}

std::string archive(const std::string& name, const std::string& bytes) {
  return zipBytes({{.name = name + ".npy", .content = bytes}});
}

std::string withOneElement(float odd) {
  return floats(100, 0.5F) + floats(1, odd) + floats(2 * kImage - 101, 0.5F);
}

}  // namespace

void BadDataTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
}

// Every command that reads samples refuses them in the same way and leaves nothing behind.
QByteArray BadDataTest::faultOf(QStringList command, const QString& place,
                                const QString& remedy) const {
  const QStringList before = entriesBelow(m_folder->path());
  command << "--out" << file(command.front() == "calibrate" ? "out.json" : "out/deep");
  const QByteArray fault = faultOfRefusal(runCli(command), place, remedy);
  if (!fault.isEmpty()) return fault;
  if (entriesBelow(m_folder->path()) != before) return "something was left behind";
  return {};
}

void BadDataTest::refused_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("remedy");
  QTest::addColumn<bool>("runs");  // `run` computes with it; whoever measures does not
  const auto row = [](const char* title, const char* name, const std::string& bytes,
                      const char* place, const char* remedy, bool runs = false) {
    QTest::newRow(title) << name << QByteArray::fromStdString(bytes) << place << remedy << runs;
  };
  const std::string good = array("<f4", "(2, 1, 16, 16)", floats(2 * kImage, 0.5F));
  row("empty npz", "d.npz", "", "d.npz", "");
  row("text as npz", "d.npz", "just text", "d.npz", "");
  row("truncated npz", "d.npz", archive("image", good).substr(0, 900), "d.npz", "");
  row("npz without arrays", "d.npz", zipBytes({}), "d.npz", "");
  row("missing array", "d.npz", archive("picture", good), "image", "");
  row("no samples", "d.npz", archive("image", array("<f4", "(0, 1, 16, 16)", "")), "d.npz",
      "at least one");
  row("text as npy", "d.npy", "just text", "d.npy", "");
  row("truncated npy", "d.npy", good.substr(0, 200), "d.npy", "");
  row("npy that claims too much", "d.npy", array("<f4", "(4000000000, 1, 16, 16)", "abcd"), "d.npy",
      "");
  row("objects", "d.npy", array("|O", "(2, 1, 16, 16)", "abcd"), "d.npy", "");
  row("text elements", "d.npy", array("<U4", "(2, 1, 16, 16)", std::string(2048, 'a')), "d.npy",
      "");
  row("wrong extent", "d.npy", array("<f4", "(2, 1, 16, 15)", floats(480, 0.5F)), "image",
      "axis 0");
  row("too few axes", "d.npy", array("<f4", "(2, 256)", floats(2 * kImage, 0.5F)), "image",
      "axis 0");
  row("complex numbers", "d.npy", array("<c8", "(1, 1, 16, 16)", floats(2 * kImage, 0.5F)), "d.npy",
      "");
  row("NaN", "d.npy",
      array("<f4", "(2, 1, 16, 16)", withOneElement(std::numeric_limits<float>::quiet_NaN())),
      "d.npy", "", true);
  row("infinite", "d.npz",
      archive("image", array("<f4", "(2, 1, 16, 16)",
                             withOneElement(-std::numeric_limits<float>::infinity()))),
      "d.npz", "", true);
  row("another kind of file", "d.csv", "1,2,3", "d.csv", "npz");
}

void BadDataTest::refused() {
  QFETCH(QString, name);
  QFETCH(QByteArray, bytes);
  QFETCH(QString, place);
  QFETCH(QString, remedy);
  QFETCH(bool, runs);
  writeFile(*m_folder, name, bytes.toStdString());
  const QStringList measuring{QStringLiteral("calibrate"), QStringLiteral("analyze")};
  for (const QString& command : runs ? measuring : measuring + QStringList{"run"}) {
    const QByteArray fault =
        faultOf({command, sampleNetwork(), "--data", file(name)}, place, remedy);
    QVERIFY2(fault.isEmpty(), fault);
  }
}

void BadDataTest::badImages_data() {
  QTest::addColumn<QByteArray>("image");
  QTest::addColumn<QByteArray>("preprocessing");
  QTest::addColumn<QString>("place");
  const QByteArray good = R"({"size":[16,16],"resize":"stretch","color":"gray"})";
  const std::string png =
      pngBytes({.width = 16, .height = 16, .colorType = 0, .rows = std::string(256, 'a')});
  const auto row = [&](const char* name, const std::string& image, const QByteArray& preprocessing,
                       const char* place) {
    QTest::newRow(name) << QByteArray::fromStdString(image) << preprocessing << place;
  };
  row("text as PNG", "no picture", good, "a.png");
  row("empty PNG", "", good, "a.png");
  row("truncated PNG", png.substr(0, png.size() / 2), good, "a.png");
  row("not JSON", png, "{\"size\":", "p.json");
  row("unknown key", png, R"({"size":[16,16],"colour":"gray"})", "p.json");
  row("wrong size", png, R"({"size":[8,8],"resize":"stretch","color":"gray"})", "image");
  row("wrong colour", png, R"({"size":[16,16],"resize":"stretch","color":"rgb"})", "image");
}

void BadDataTest::badImages() {
  QFETCH(QByteArray, image);
  QFETCH(QByteArray, preprocessing);
  QFETCH(QString, place);
  writeFile(*m_folder, "images/a.png", image.toStdString());
  writeFile(*m_folder, "p.json", preprocessing.toStdString());
  const QByteArray fault =
      faultOf({"run", sampleNetwork(), "--data", file("images"), "--preprocess", file("p.json")},
              place, "");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadDataTest::nothingToPreprocess() {
  const QByteArray fault =
      faultOf({"run", sampleNetwork(), "--data", "random:1", "--preprocess", file("none.json")},
              "random:1", "leave --preprocess out");
  QVERIFY2(fault.isEmpty(), fault);
}

void BadDataTest::nothingToSeed() {
  const QString data = sampleFile("digits_mobilenet.npz");
  for (const char* command : {"run", "calibrate", "analyze", "repair"}) {
    const QByteArray fault = faultOf({command, sampleNetwork(), "--data", data, "--seed", "0"},
                                     data, "leave --seed out");
    QVERIFY2(fault.isEmpty(), fault);
  }
  const Outcome calibrated =
      runCli({"analyze", sampleNetwork(), "--data", data, "--samples", "1", "--calibration",
              "random:2", "--seed", "3", "--out", file("seeded")});
  QVERIFY2(calibrated.status == 0, describe(calibrated));
}

void BadDataTest::badLabels_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("remedy");
  const auto row = [](const char* name, const std::string& bytes, const char* remedy) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << remedy;
  };
  row("text", "3 1 4 1 5", "");
  row("floats", array("<f4", "(2,)", floats(2, 1)), "int64");
  row("two axes", array("<i4", "(1, 2)", std::string(8, '\0')), "int64");
  row("negative", array("<i4", "(1,)", std::string(4, '\xFF')), "int64");
  row("beyond the classes", array("|u1", "(2,)", std::string("\x01\x0A")), "class indices");
  row("none", array("|u1", "(0,)", ""), "int64");
}

void BadDataTest::badLabels() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, remedy);
  writeFile(*m_folder, "labels.npy", bytes.toStdString());
  const QByteArray fault =
      faultOf({"analyze", sampleNetwork(), "--data", "random:4", "--labels", file("labels.npy")},
              "labels.npy", remedy);
  QVERIFY2(fault.isEmpty(), fault);
}

// Whatever reads labels counts the classes.
void BadDataTest::labelOfNoClass() {
  writeFile(*m_folder, "labels.npy", array("|u1", "(3,)", std::string("\x01\x02\x63")));
  const QStringList data{sampleNetwork(), "--data", "random:4", "--labels", file("labels.npy")};
  const QString out = file("out");
  for (const QStringList& command :
       {QStringList{"analyze"} + data + QStringList{"--out", out},
        QStringList{"sensitivity"} + data + QStringList{"--types", "int8", "--json", out},
        QStringList{"optimize"} + data + QStringList{"--max-drop", "0.5", "--out", out},
        QStringList{"repair"} + data + QStringList{"--steps", "round", "--out", out}}) {
    const QByteArray fault = faultOfRefusal(
        runCli(command), "the label 99 of sample 2 is none of the 10 classes of 'logits'",
        "class indices");
    QVERIFY2(fault.isEmpty(), fault);
    QVERIFY(!QFile::exists(out));
  }
}

QUANTSCOPE_TEST(BadDataTest)
#include "test_bad_data.moc"
