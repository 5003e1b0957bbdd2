#include <QTemporaryDir>
#include <QtTest>

#include "calibration/check_data.h"
#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/npy_bytes.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"

using namespace quantscope;
using namespace quantscope::test;

class CheckDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyInputHasItsAnswer();
  void anArrayTooMany();
  void imagesAreReadOnce();
  void imagesThatDoNotFit();
  void missingFile();
  void otherOpeners();

 private:
  QTemporaryDir m_folder;
};

namespace {

using State = InputCheck::State;

std::string zeroArray(const std::string& shape, std::size_t count) {
  return npyBytes(npyDictionary("<f4", shape), std::string(4 * count, '\0'));
}

const char* const kTwoInputs = "input x:float[N,2]\ninput w:float[N,3]\ny = Concat(x, w) axis=1";

}  // namespace

void CheckDataTest::everyInputHasItsAnswer() {
  const auto graph = graphFromText(kTwoInputs);
  const std::string file =
      writeFile(m_folder, "a.npz",
                zipBytes({{.name = "x.npy", .content = zeroArray("(4, 7)", 28)},
                          {.name = "w.npy", .content = zeroArray("(4, 3)", 12)}}));
  const DataCheck check = checkData(file, *graph, {});
  QVERIFY(!check.fits());
  QVERIFY(check.kind == SourceKind::Npz);
  QCOMPARE(check.inputs.size(), std::size_t{2});
  QVERIFY(check.inputs[0].state == State::Fails);
  QCOMPARE(check.inputs[0].held, std::string("float32 [4, 7]"));
  QVERIFY(contains(check.inputs[0].error->sentence(), "of shape [4, 7] does not fit"));
  // The other one is fine, though opening stopped before it.
  QVERIFY(check.inputs[1].state == State::Fits);
  QCOMPARE(check.inputs[1].held, std::string("float32 [4, 3]"));
  QVERIFY(!check.inputs[1].error);
}

void CheckDataTest::anArrayTooMany() {
  const auto graph = graphFromText("input x:float[N,2]\ny = Neg(x)");
  const std::string file =
      writeFile(m_folder, "a.npz",
                zipBytes({{.name = "x.npy", .content = zeroArray("(4, 2)", 8)},
                          {.name = "z.npy", .content = zeroArray("(4, 2)", 8)}}));
  const DataCheck check = checkData(file, *graph, {});
  QVERIFY(!check.fits());
  QVERIFY(contains(check.error->what(), "no input of the array's name"));
  QVERIFY(check.inputs[0].state == State::Fits);
}

void CheckDataTest::imagesAreReadOnce() {
  const auto graph = graphFromText("input x:float[N,1,1,1]\ny = Neg(x)");
  const QTemporaryDir folder;
  for (const char* name : {"a.png", "b.png"}) {
    writeFile(folder, name, pngBytes({.colorType = 0, .rows = "A"}));
  }
  SourceOptions options;
  options.preprocessing = parsePreprocessing(R"({"color":"gray"})");
  const DataCheck check = checkData(folder.path().toStdString(), *graph, options);
  QVERIFY(check.fits());
  QCOMPARE(check.samples->sampleCount(), std::size_t{2});
  QCOMPARE(check.inputs[0].held, std::string("2 × float32 [1, 1, 1, 1]"));
  QVERIFY(check.inputs[0].state == State::Fits);
}

void CheckDataTest::imagesThatDoNotFit() {
  const auto graph = graphFromText("input x:float[N,3,2,2]\ny = Neg(x)");
  const QTemporaryDir folder;
  writeFile(folder, "a.png", pngBytes({.colorType = 0, .rows = "A"}));
  SourceOptions options;
  options.preprocessing = Preprocessing();
  const DataCheck check = checkData(folder.path().toStdString(), *graph, options);
  QVERIFY(!check.fits());
  QVERIFY(check.inputs[0].state == State::Fails);
  QVERIFY(contains(check.inputs[0].error->sentence(), "the model wants x float32 [N, 3, 2, 2]"));
}

void CheckDataTest::missingFile() {
  const auto graph = graphFromText(kTwoInputs);
  const DataCheck check = checkData(m_folder.filePath("none.npz").toStdString(), *graph, {});
  QVERIFY(!check.fits());
  QVERIFY(check.error.has_value());
  QVERIFY(check.inputs[0].state == State::Unknown);
  QVERIFY(check.inputs[1].state == State::Unknown);
}

void CheckDataTest::otherOpeners() {
  const auto graph = graphFromText("input x:float[N,2]\ny = Neg(x)");
  const DataCheck check = checkData(
      "random:1", *graph, {},
      [](const std::string&, const Graph&, const SourceOptions&) -> std::unique_ptr<SampleSource> {
        throw Error(ErrorCode::Io, "the disk is gone");
      });
  QCOMPARE(check.error->sentence(), std::string("the disk is gone"));
}

QUANTSCOPE_TEST(CheckDataTest)
#include "test_check_data.moc"
