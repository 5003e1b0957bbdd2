#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <filesystem>

#include "compare/dumps/dump_folder.h"
#include "support/error_text.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using test::writeFile;

namespace {

constexpr const char* kManifest = R"({"values": [
  {"name": "a", "file": "a.raw", "shape": [2, 1], "dtype": "uint8"},
  {"name": "b", "files": ["b0.raw", "b1.raw"], "shape": [1], "dtype": "uint8"}]})";

}  // namespace

/// Dumps that change while they are compared.
class ChangedDumpsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void unreadOrTouched();
  void changed_data();
  void changed();

 private:
  void write(const char* name, const std::string& bytes) const {
    const std::filesystem::path file = writeFile(*m_folder, name, bytes);
    std::filesystem::last_write_time(
        file, std::filesystem::last_write_time(file) + std::chrono::seconds(++m_writes));
  }
  DumpFolder folder() const { return DumpFolder(m_folder->path().toStdString()); }

  std::unique_ptr<QTemporaryDir> m_folder;
  mutable int m_writes = 0;
};

void ChangedDumpsTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  writeFile(*m_folder, "manifest.json", kManifest);
  write("a.raw", "12");
  write("b0.raw", "3");
  write("b1.raw", "4");
}

void ChangedDumpsTest::unreadOrTouched() {
  const DumpFolder dumps = folder();
  dumps.read(dumps.values()[0], 1);
  dumps.read(dumps.values()[1], 0);
  write("a.raw", "x2");
  write("b0.raw", "3");
  write("b1.raw", "y");
  dumps.requireUnchanged();
  dumps.read(dumps.values()[0], 1);
}

void ChangedDumpsTest::changed_data() {
  QTest::addColumn<int>("value");
  QTest::addColumn<int>("sample");
  QTest::addColumn<QByteArray>("file");
  QTest::newRow("stacked") << 0 << 1 << QByteArray("a.raw");
  QTest::newRow("a file each") << 1 << 0 << QByteArray("b0.raw");
}

void ChangedDumpsTest::changed() {
  QFETCH(int, value);
  QFETCH(int, sample);
  QFETCH(QByteArray, file);
  const DumpFolder dumps = folder();
  const DumpedValue& dumped = dumps.values()[static_cast<std::size_t>(value)];
  dumps.read(dumped, static_cast<std::size_t>(sample));
  dumps.requireUnchanged();
  write(file.constData(), value == 0 ? "1x" : "x");
  VERIFY_ERROR(dumps.requireUnchanged(), "has changed while it was in use");
  VERIFY_ERROR(dumps.read(dumped, static_cast<std::size_t>(sample)), file.toStdString());
}

QUANTSCOPE_TEST(ChangedDumpsTest)
#include "test_changed_dumps.moc"
