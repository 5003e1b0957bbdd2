#include <QTemporaryDir>
#include <QtTest>
#include <numeric>
#include <string>

#include "support/error_text.h"
#include "support/npy_bytes.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"
#include "tensor/npz.h"

using namespace quantscope;
using quantscope::test::npyBytes;
using quantscope::test::npyDictionary;
using quantscope::test::zipBytes;
using quantscope::test::ZipMember;

class NpzTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsWhatNumpyWrote_data();
  void readsWhatNumpyWrote();
  void rowsComeInAnyOrder_data();
  void rowsComeInAnyOrder();
  void readersShareAnArchive();
  void hostileArchives_data();
  void hostileArchives();
  void liesShowWhenRead_data();
  void liesShowWhenRead();
  void everyTruncationIsAnError();

 private:
  std::string write(const std::string& bytes) const {
    return test::writeFile(m_folder, "a.npz", bytes);
  }
  QTemporaryDir m_folder;
};

namespace {

std::string countedArray(int rows, int columns) {
  std::string elements;
  for (int i = 0; i < rows * columns; ++i) elements += test::littleEndian(i, 4);
  const QString shape = QString("(%1, %2)").arg(rows).arg(columns);
  return npyBytes(npyDictionary("<i4", shape.toStdString()), elements);
}

void readEverything(const std::string& path) {
  const NpzFile file(path);
  for (const NpzArray& array : file.arrays()) file.open(array.name).read();
}

}  // namespace

void NpzTest::readsWhatNumpyWrote_data() {
  QTest::addColumn<std::string>("path");
  QTest::newRow("stored") << std::string(QUANTSCOPE_TEST_DATA "/npz/stored.npz");
  QTest::newRow("deflated") << std::string(QUANTSCOPE_TEST_DATA "/npz/deflated.npz");
}

void NpzTest::readsWhatNumpyWrote() {
  QFETCH(std::string, path);
  const NpzFile file(path);
  QCOMPARE(file.arrays().size(), std::size_t{3});
  QCOMPARE(file.arrays()[1].name, std::string("scope/ids:0"));
  QCOMPARE(file.arrays()[1].type, ElementType::Int64);
  QVERIFY(file.arrays()[0].shape == Shape({4, 3, 2}));
  QVERIFY(file.find("pixel") == nullptr);
  QVERIFY(file.find("rate")->shape.empty());

  QVERIFY(identical(file.open("rate").read(), Tensor::scalar<std::int32_t>(16000)));
  QVERIFY(
      identical(file.open("scope/ids:0").read(), Tensor::of<std::int64_t>({2, 2}, {1, 2, 3, 4})));
  NpyReader pixels = file.open("pixels");
  QVERIFY(
      identical(pixels.readRows(2, 1), Tensor::of<float>({1, 3, 2}, {6, 6.5F, 7, 7.5F, 8, 8.5F})));
  VERIFY_ERROR(file.open("other"), "no such array (" + path + ", value other)");
}

void NpzTest::rowsComeInAnyOrder_data() {
  QTest::addColumn<bool>("deflate");
  QTest::newRow("stored") << false;
  QTest::newRow("deflated") << true;
}

void NpzTest::rowsComeInAnyOrder() {
  QFETCH(bool, deflate);
  constexpr int kColumns = 30'000;  // a row is longer than the pieces that are skipped at a time
  const NpzFile file(write(zipBytes({{"x.npy", countedArray(5, kColumns), deflate}})));
  NpyReader reader = file.open("x");
  for (const int row : {0, 1, 4, 4, 2, 0, 3, 4}) {
    const Tensor read = reader.readRows(row, 1);
    QVERIFY(read.shape() == Shape({1, kColumns}));
    std::vector<std::int32_t> expected(kColumns);
    std::iota(expected.begin(), expected.end(), row * kColumns);
    QVERIFY(std::ranges::equal(read.values<std::int32_t>(), expected));
  }
}

void NpzTest::readersShareAnArchive() {
  std::vector<NpyReader> readers;
  {
    const NpzFile file(write(zipBytes({{"a.npy", countedArray(9, 100), true},
                                       {"folder/", ""},
                                       {"b.npy", countedArray(9, 50), false}})));
    QCOMPARE(file.arrays().size(), std::size_t{2});
    readers.push_back(file.open("a"));
    readers.push_back(file.open("b"));
    readers.push_back(file.open("a"));
  }
  for (int row = 0; row < 9; ++row) {
    QCOMPARE(readers[0].readRows(row, 1).values<std::int32_t>()[0], 100 * row);
    QCOMPARE(readers[1].readRows(row, 1).values<std::int32_t>()[49], 50 * row + 49);
    QCOMPARE(readers[2].readRows(8 - row, 1).values<std::int32_t>()[0], 100 * (8 - row));
  }
}

void NpzTest::hostileArchives_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("message");
  const std::string array = countedArray(2, 2);
  const auto row = [](const char* what, const std::string& bytes, const char* message) {
    QTest::newRow(what) << bytes << std::string(message);
  };
  row("empty file", "", "not a zip archive");
  row("no zip", array + std::string(100, 'x'), "not a zip archive");
  row("no entries", zipBytes({}), "no arrays");
  row("an entry that is no array", zipBytes({{"x.npy", array}, {"readme.txt", "hello"}}),
      "not a .npy array");
  row("a damaged header", zipBytes({{"x.npy", "something else"}}), "not an array");
  row("an array cut short", zipBytes({{"x.npy", array.substr(0, array.size() - 1)}}),
      "needs more bytes");
  row("the same name twice", zipBytes({{"x.npy", array}, {"x.npy", array}}), "the same name");
  row("a stored entry that claims too much",
      zipBytes({{.name = "x.npy", .content = array, .claimedSize = 4'000'000'000U}}),
      "more than the archive can hold");
  row("a deflated entry that claims too much",
      zipBytes({{.name = "x.npy", .content = array, .deflate = true, .claimedSize = 4'000'000U}}),
      "more than the archive can hold");
  row("encrypted", zipBytes({{.name = "x.npy", .content = array, .flags = 1}}), "encrypted");
  row("compressed by bzip2",
      zipBytes({{.name = "x.npy", .content = array, .claimedMethod = std::uint16_t{12}}}),
      "unusual way");
  row("objects", zipBytes({{"x.npy", npyBytes(npyDictionary("|O", "(1,)"), "12345678")}}),
      "Python objects");
}

void NpzTest::hostileArchives() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, message);
  VERIFY_ERROR(NpzFile(write(bytes)), message);
  VERIFY_ERROR(NpzFile(write(bytes)), "a.npz");
}

void NpzTest::liesShowWhenRead_data() {
  QTest::addColumn<std::string>("bytes");
  const std::string array = countedArray(40, 40);
  const auto row = [](const char* what, const ZipMember& member) {
    QTest::newRow(what) << zipBytes({member});
  };
  const auto size = static_cast<std::uint32_t>(array.size());
  row("wrong checksum, stored", {.name = "x.npy", .content = array, .claimedChecksum = 1U});
  row("wrong checksum, deflated",
      {.name = "x.npy", .content = array, .deflate = true, .claimedChecksum = 1U});
  row("more than claimed",
      {.name = "x.npy", .content = array + "more", .deflate = true, .claimedSize = size});
  row("less than claimed", {.name = "x.npy",
                            .content = array.substr(0, array.size() - 9),
                            .deflate = true,
                            .claimedSize = size});
  row("not deflated at all",
      {.name = "x.npy", .content = array, .claimedMethod = std::uint16_t{8}});
}

void NpzTest::liesShowWhenRead() {
  QFETCH(std::string, bytes);
  VERIFY_ERROR(readEverything(write(bytes)), "truncated or damaged");
}

void NpzTest::everyTruncationIsAnError() {
  const std::string whole =
      zipBytes({{"a.npy", countedArray(2, 3), true}, {"b.npy", countedArray(1, 2), false}});
  readEverything(write(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    VERIFY_ERROR(readEverything(write(whole.substr(0, size))), "a.npz");
    VERIFY_ERROR(readEverything(write(whole.substr(whole.size() - size))), "a.npz");
  }
}

QUANTSCOPE_TEST(NpzTest)
#include "test_npz.moc"
