#include "calibration/open_sample_set.h"

#include <QTemporaryDir>
#include <QtTest>
#include <bit>
#include <chrono>
#include <filesystem>
#include <string>

#include "support/error_text.h"
#include "support/graph_text.h"
#include "support/npy_bytes.h"
#include "support/png_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"

using namespace quantscope;
using test::writeFile;

namespace {

using Write = void (*)(const QTemporaryDir& folder, char last);

/// Two samples of one element each; the last one is `last`.
std::string twoNumbers(char last, const std::string& fortran = "False") {
  return test::npyBytes(test::npyDictionary("|u1", "(2, 1, 1, 1)", fortran), {'\x01', last});
}

void writeNpy(const QTemporaryDir& folder, char last) {
  writeFile(folder, "data.npy", twoNumbers(last));
}

void writeFortran(const QTemporaryDir& folder, char last) {
  writeFile(folder, "data.npy", twoNumbers(last, "True"));
}

void writeNpz(const QTemporaryDir& folder, char last) {
  writeFile(folder, "data.npz", test::zipBytes({{.name = "x.npy", .content = twoNumbers(last)}}));
}

void writeImages(const QTemporaryDir& folder, char last) {
  for (const char* name : {"images/a.png", "images/b.png"}) {
    writeFile(folder, name, test::pngBytes({.colorType = 0, .rows = std::string(1, last)}));
  }
}

// A TensorProto [1, 1, 1, 1] of one byte: dims = 1, data_type = 2 (uint8), raw_data = 9.
void writeSet(const QTemporaryDir& folder, char last) {
  const std::string bytes =
      std::string("\x08\x01\x08\x01\x08\x01\x08\x01\x10\x02\x4A\x01", 12) + last;
  writeFile(folder, "sets/test_data_set_0/input_0.pb", bytes);
}

}  // namespace

class OpenSampleSetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void changesAreNoticed_data();
  void changesAreNoticed();
};

void OpenSampleSetTest::changesAreNoticed_data() {
  QTest::addColumn<QString>("data");
  QTest::addColumn<Write>("write");
  QTest::newRow(".npy") << "data.npy" << Write(&writeNpy);
  QTest::newRow(".npy in Fortran's order") << "data.npy" << Write(&writeFortran);
  QTest::newRow(".npz") << "data.npz" << Write(&writeNpz);
  QTest::newRow("images") << "images" << Write(&writeImages);
  QTest::newRow("one set") << "sets" << Write(&writeSet);
}

// Files are overwritten in place, or replaced by the same content.
void OpenSampleSetTest::changesAreNoticed() {
  QFETCH(QString, data);
  QFETCH(Write, write);
  const QTemporaryDir folder;
  const auto overwrite = [&](char last) {
    const QTemporaryDir other;
    write(other, last);
    namespace fs = std::filesystem;
    for (const auto& entry : fs::recursive_directory_iterator(other.path().toStdString())) {
      if (!entry.is_regular_file()) continue;
      const fs::path target =
          folder.path().toStdString() / fs::relative(entry.path(), other.path().toStdString());
      const fs::file_time_type later = fs::last_write_time(target) + std::chrono::seconds(2);
      fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
      fs::last_write_time(target, later);
    }
  };
  write(folder, 2);
  SourceOptions options;
  options.preprocessing = parsePreprocessing(R"({"color":"gray"})");
  const auto graph = test::graphFromText("input x:uint8[N,1,1,1]\ny = Identity(x)");
  const std::string path = folder.filePath(data).toStdString();
  const auto samples = openSampleSet(path, *graph, options, 1000);
  for (std::size_t i = 0; i < samples->feedCount(); ++i) samples->read(i);
  samples->requireUnchanged();
  overwrite(2);
  samples->requireUnchanged();
  overwrite(3);
  VERIFY_ERROR(samples->requireUnchanged(), "has changed while it was in use");
}

QUANTSCOPE_TEST(OpenSampleSetTest)
#include "test_open_sample_set.moc"
