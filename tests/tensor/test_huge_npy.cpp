// Files of more than 2^31 elements, in little memory: all but their last bytes are holes.

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "support/npy_bytes.h"
#include "support/test_main.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::int64_t kCount = (std::int64_t{1} << 31) + 8;

}  // namespace

class HugeNpyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lastRows_data();
  void lastRows();
  void fortranOrder();
  void tooShort();

 private:
  std::string write(const char* descr, const char* shape, std::uintmax_t bytes, bool fortran);
  QTemporaryDir m_folder;
};

// A header, a hole, and the bytes 1, 2, … 8 at the very end. Empty where the disk allows no hole.
std::string HugeNpyTest::write(const char* descr, const char* shape, std::uintmax_t bytes,
                               bool fortran) {
  const std::string file = m_folder.filePath("huge.npy").toStdString();
  const std::string dictionary = npyDictionary(descr, shape, fortran ? "True" : "False");
  const std::string header = npyBytes(dictionary, "");
  std::ofstream(file, std::ios::binary) << header;
  std::error_code failure;
  std::filesystem::resize_file(file, header.size() + bytes, failure);
  if (failure) return {};
  std::fstream end(file, std::ios::binary | std::ios::in | std::ios::out);
  end.seekp(-8, std::ios::end);
  for (char i = 1; i <= 8; ++i) end.put(i);
  return end.good() ? file : std::string();
}

void HugeNpyTest::lastRows_data() {
  QTest::addColumn<QByteArray>("descr");
  QTest::addColumn<int>("size");
  QTest::addColumn<QByteArray>("shape");
  QTest::addColumn<qint64>("rows");
  QTest::newRow("int8") << QByteArray("|i1") << 1 << QByteArray("(2147483656,)") << qint64{kCount};
  QTest::newRow("int64") << QByteArray("<i8") << 8 << QByteArray("(2147483656,)") << qint64{kCount};
  QTest::newRow("rows of 8") << QByteArray("|i1") << 1 << QByteArray("(268435457, 8)")
                             << qint64{kCount / 8};
}

void HugeNpyTest::lastRows() {
  QFETCH(QByteArray, descr);
  QFETCH(int, size);
  QFETCH(QByteArray, shape);
  QFETCH(qint64, rows);
  const auto bytes = static_cast<std::uintmax_t>(kCount) * static_cast<std::uintmax_t>(size);
  const std::string file = write(descr, shape, bytes, false);
  if (file.empty()) QSKIP("skipped: this disk holds no file of so many bytes, holes or not");
  NpyReader reader(file);
  QCOMPARE(reader.shape().elementCount(), kCount);
  const Tensor last = reader.readRows(rows - 1, 1);
  const auto* const element = last.bytes() + last.byteSize() - static_cast<std::size_t>(size);
  for (int i = 0; i < size; ++i) QCOMPARE(std::to_integer<int>(element[i]), 9 - size + i);
  QVERIFY(std::to_integer<int>(reader.readRows(rows - 20, 1).bytes()[0]) == 0);
  QVERIFY_THROWS_EXCEPTION(Error, reader.readRows(rows, 1));
}

// Two columns, so that the last bytes belong to the second.
void HugeNpyTest::fortranOrder() {
  const std::string file =
      write("|i1", "(2147483656, 2)", 2 * static_cast<std::uintmax_t>(kCount), true);
  if (file.empty()) QSKIP("skipped: this disk holds no file of so many bytes, holes or not");
  NpyReader reader(file);
  const Tensor last = reader.readRows(kCount - 3, 3);
  const auto values = last.values<std::int8_t>();
  for (std::size_t row = 0; row < 3; ++row) {
    QCOMPARE(int{values[2 * row]}, 0);
    QCOMPARE(int{values[2 * row + 1]}, 6 + static_cast<int>(row));
  }
}

void HugeNpyTest::tooShort() {
  const std::string file =
      write("|i1", "(2147483657,)", static_cast<std::uintmax_t>(kCount), false);
  if (file.empty()) QSKIP("skipped: this disk holds no file of so many bytes, holes or not");
  QVERIFY_THROWS_EXCEPTION(Error, NpyReader(std::filesystem::path(file)));
}

QUANTSCOPE_TEST(HugeNpyTest)
#include "test_huge_npy.moc"
