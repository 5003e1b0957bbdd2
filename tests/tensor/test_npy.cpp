#include <QTemporaryDir>
#include <QtTest>
#include <limits>
#include <numeric>
#include <string>

#include "base/files/input_file.h"
#include "support/error_text.h"
#include "support/npy_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "tensor/half.h"
#include "tensor/npy.h"

using namespace quantscope;
using namespace std::string_literals;
using quantscope::test::npyBytes;
using quantscope::test::npyDictionary;

class NpyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsWhatNumpyWrote_data();
  void readsWhatNumpyWrote();
  void everyTypeComesBack_data();
  void everyTypeComesBack();
  void headerIsNumpysOwn();
  void bfloat16IsWrittenAsFloat32();
  void rowsComeInAnyOrder_data();
  void rowsComeInAnyOrder();
  void longColumnsOfFortranOrder();
  void emptyArrays();
  void hostileHeaders_data();
  void hostileHeaders();
  void stacksSamples();
  void stackRefusesOtherShapes();
  void unfinishedStackLeavesNothing();
  void stackOfNothingIsAnError();

 private:
  std::string file(const char* name) const { return m_folder.filePath(name).toStdString(); }
  QTemporaryDir m_folder;
};

namespace {

Tensor counted(const Shape& shape) {
  Tensor tensor(ElementType::Int32, shape);
  const std::span<std::int32_t> elements = tensor.mutableValues<std::int32_t>();
  std::iota(elements.begin(), elements.end(), 0);
  return tensor;
}

}  // namespace

void NpyTest::readsWhatNumpyWrote_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<Tensor>("expected");
  const std::string shorts = "\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06\x00"s;
  // The bytes of the first three rows were taken from files of NumPy 1.24.
  QTest::newRow("Fortran order") << npyBytes(npyDictionary("<i2", "(2, 3)", "True"), shorts)
                                 << Tensor::of<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  QTest::newRow("big endian") << npyBytes(npyDictionary(">f8", "(2,)"),
                                          "?\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"s)
                              << Tensor::of<double>({2}, {1.5, -2.0});
  QTest::newRow("scalar, version 2")
      << npyBytes(npyDictionary("|b1", "()"), "\x01", 2) << Tensor::scalar(true);
  QTest::newRow("version 3") << npyBytes(npyDictionary("|u1", "(1, 1)"), "\x07", 3)
                             << Tensor::of<std::uint8_t>({1, 1}, {7});
  QTest::newRow("a bool that is neither 0 nor 1")
      << npyBytes(npyDictionary("|b1", "(3,)"), "\x00\x02\xff"s)
      << Tensor::of<bool>({3}, {0, 1, 1});
  QTest::newRow("Python 2 and double quotes")
      << npyBytes("{\"shape\": (3L,), \"fortran_order\": True, \"descr\": \"|i1\"}", "\x01\x02\xff")
      << Tensor::of<std::int8_t>({3}, {1, 2, -1});
  QTest::newRow("more bytes than elements")
      << npyBytes(npyDictionary("|i1", "(1,)"), "\x01\x02") << Tensor::of<std::int8_t>({1}, {1});
  QTest::newRow("big endian in Fortran order")
      << npyBytes(npyDictionary(">u2", "(2, 2)", "True"), "\0\x01\0\x02\0\x03\0\x04"s)
      << Tensor::of<std::uint16_t>({2, 2}, {1, 3, 2, 4});
}

void NpyTest::readsWhatNumpyWrote() {
  QFETCH(std::string, bytes);
  QFETCH(Tensor, expected);
  test::writeFile(m_folder, "a.npy", bytes);
  QVERIFY(identical(readNpy(file("a.npy")), expected));
  NpyReader reader(file("a.npy"));
  QVERIFY(reader.shape() == expected.shape());
  QCOMPARE(reader.type(), expected.type());
  if (!reader.shape().empty()) {
    QVERIFY(identical(reader.readRows(0, reader.shape()[0]), expected));
  }
}

void NpyTest::everyTypeComesBack_data() {
  QTest::addColumn<int>("type");
  for (int type = 0; type <= static_cast<int>(ElementType::Bool); ++type) {
    if (static_cast<ElementType>(type) == ElementType::BFloat16) continue;
    QTest::newRow(std::string(name(static_cast<ElementType>(type))).c_str()) << type;
  }
}

void NpyTest::everyTypeComesBack() {
  QFETCH(int, type);
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}, Shape{1, 2, 1, 2, 1, 3, 1, 2}}) {
    Tensor tensor = Tensor::zeros(static_cast<ElementType>(type), shape);
    for (std::size_t i = 0; i < tensor.byteSize(); ++i) {
      tensor.mutableBytes()[i] = static_cast<std::byte>(type == 12 ? i % 2 : 37 * i);
    }
    writeNpy(file("type.npy"), tensor);
    QVERIFY(identical(readNpy(file("type.npy")), tensor));
  }
}

void NpyTest::headerIsNumpysOwn() {
  writeNpy(file("a.npy"), Tensor::of<double>({2, 1}, {0, 0}));
  const std::string header =
      "\x93NUMPY\x01\x00v\x00"s + npyDictionary("<f8", "(2, 1)") + std::string(58, ' ') + "\n";
  QCOMPARE(header.size(), std::size_t{128});
  QCOMPARE(readFile(file("a.npy"), 1000), header + std::string(16, '\0'));
}

void NpyTest::bfloat16IsWrittenAsFloat32() {
  writeNpy(file("a.npy"), Tensor::of<BFloat16>({2}, {toBFloat16(1.5F), toBFloat16(-3.0e38F)}));
  const Tensor read = readNpy(file("a.npy"));
  QVERIFY(identical(read, Tensor::of<float>({2}, {1.5F, toFloat(toBFloat16(-3.0e38F))})));
}

void NpyTest::rowsComeInAnyOrder_data() {
  QTest::addColumn<bool>("fortran");
  QTest::newRow("C order") << false;
  QTest::newRow("Fortran order") << true;
}

void NpyTest::rowsComeInAnyOrder() {
  QFETCH(bool, fortran);
  std::string bytes;
  for (int i = 0; i < 24; ++i) {
    // Element [a, b, c] of shape [4, 3, 2] is 6a + 2b + c; the first axis runs fastest in Fortran.
    bytes += static_cast<char>(fortran ? 6 * (i % 4) + 2 * (i / 4 % 3) + i / 12 : i);
  }
  writeFileAtomically(
      file("a.npy"),
      npyBytes(npyDictionary("|u1", "(4, 3, 2)", fortran ? "True" : "False"), bytes));
  NpyReader reader(file("a.npy"));
  for (const std::uint8_t row : {2, 0, 3, 1, 1}) {
    const auto first = static_cast<std::uint8_t>(6 * row);
    Tensor expected(ElementType::UInt8, {1, 3, 2});
    const std::span<std::uint8_t> elements = expected.mutableValues<std::uint8_t>();
    std::iota(elements.begin(), elements.end(), first);
    QVERIFY(identical(reader.readRows(row, 1), expected));
  }
  QCOMPARE(reader.readRows(1, 2).values<std::uint8_t>()[11], std::uint8_t{17});
  QCOMPARE(reader.readRows(4, 0).elementCount(), std::size_t{0});
  VERIFY_ERROR(reader.readRows(3, 2), "no rows 3 to 4");
  VERIFY_ERROR(reader.readRows(-1, 1), "no rows");
}

// A column longer than a chunk of the file is read in part.
void NpyTest::longColumnsOfFortranOrder() {
  constexpr std::int64_t kRows = 700'000;
  std::string elements(2 * 2 * kRows, '\0');
  for (std::int64_t i = 0; i < 2 * kRows; ++i) {
    elements[2 * i] = static_cast<char>(i % 251);
    elements[2 * i + 1] = static_cast<char>(i / kRows);
  }
  test::writeFile(m_folder, "a.npy",
                  npyBytes(npyDictionary("<u2", "(700000, 2)", "True"), elements));
  NpyReader reader(file("a.npy"));
  for (const std::int64_t row : {699'999, 3, 350'000}) {
    const Tensor read = reader.readRows(row, 1);
    QCOMPARE(static_cast<int>(read.values<std::uint16_t>()[0]), static_cast<int>(row % 251));
    QCOMPARE(static_cast<int>(read.values<std::uint16_t>()[1]),
             static_cast<int>((row + kRows) % 251 + 256));
  }
}

void NpyTest::emptyArrays() {
  for (const char* fortran : {"False", "True"}) {
    test::writeFile(m_folder, "a.npy", npyBytes(npyDictionary("<f4", "(0, 4)", fortran), ""));
    QVERIFY(readNpy(file("a.npy")).shape() == Shape({0, 4}));
    test::writeFile(m_folder, "a.npy", npyBytes(npyDictionary("<f4", "(3, 0)", fortran), ""));
    NpyReader reader(file("a.npy"));
    QVERIFY(reader.readRows(1, 2).shape() == Shape({2, 0}));
  }
  // No elements, so no bytes are missing; nothing of that size may be allocated either.
  test::writeFile(m_folder, "a.npy",
                  npyBytes(npyDictionary("|u1", "(0, 1099511627776, 2)", "True"), ""));
  QCOMPARE(readNpy(file("a.npy")).elementCount(), std::size_t{0});
}

void NpyTest::hostileHeaders_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("message");
  const std::string four(4, '\1');
  const auto row = [](const char* what, const std::string& bytes, const char* message) {
    QTest::newRow(what) << bytes << std::string(message);
  };
  row("empty", "", "too short");
  row("another format", "PK\x03\x04 something else", "not an array in NumPy's format");
  row("version 4", npyBytes(npyDictionary("<f4", "(1,)"), four, 4), "version 4 is unknown");
  row("cut in the header", npyBytes(npyDictionary("<f4", "(1,)"), "").substr(0, 40), "ends early");
  row("cut in the elements", npyBytes(npyDictionary("<f4", "(2,)"), four), "truncated or damaged");
  row("objects", npyBytes(npyDictionary("|O", "(1,)"), four), "Python objects");
  row("complex numbers", npyBytes(npyDictionary("<c8", "(1,)"), four), "'<c8'");
  row("text", npyBytes(npyDictionary("<U1", "(1,)"), four), "astype('float32')");
  row("void of bfloat16", npyBytes(npyDictionary("|V2", "(2,)"), four), "'|V2'");
  row("records", npyBytes("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four),
      "records");
  row("negative extent", npyBytes(npyDictionary("<f4", "(-1,)"), four), "negative");
  row("huge shape", npyBytes(npyDictionary("<f4", "(1000000000000,)"), four), "needs more bytes");
  row("overflowing shape", npyBytes(npyDictionary("|u1", "(4294967296, 4294967296, 16)"), four),
      "needs more bytes");
  row("overflow times zero", npyBytes(npyDictionary("|u1", "(4294967296, 4294967296, 0)"), four),
      "needs more bytes");
  row("overflowing extent", npyBytes(npyDictionary("<f4", "(99999999999999999999,)"), four),
      "not a number that fits");
  row("too many axes", npyBytes(npyDictionary("<f4", "(1,1,1,1,1,1,1,1,1)"), four), "9 axes");
  row("no tuple", npyBytes(npyDictionary("<f4", "3"), four), "'(' is missing");
  row("no number", npyBytes(npyDictionary("<f4", "(a,)"), four), "not a number");
  row("no dictionary", npyBytes("[]", four), "'{' is missing");
  row("open dictionary", npyBytes("{'descr': '<f4'", four), "'}' is missing");
  row("open text", npyBytes("{'descr: 1", four), "a text is missing");
  row("missing key", npyBytes("{'descr': '<f4', 'shape': (1,)}", four), "a key is missing");
  row("unknown key", npyBytes("{'description': '<f4'}", four), "'description'");
  row("key twice", npyBytes("{'descr': '<f4', 'descr': '<f4'}", four), "'descr'");
  row("no boolean", npyBytes(npyDictionary("<f4", "(1,)", "0"), four), "True or False");
  row("text behind", npyBytes(npyDictionary("<f4", "(1,)") + "x", four), "follows its end");
  row("long header", "\x93NUMPY\x02\0\xff\xff\xff\x7f{}"s, "too long");
}

void NpyTest::hostileHeaders() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, message);
  test::writeFile(m_folder, "bad.npy", bytes);
  VERIFY_ERROR(readNpy(file("bad.npy")), message);
  VERIFY_ERROR(readNpy(file("bad.npy")), "bad.npy): ");  // the place, then the remedy
}

void NpyTest::stacksSamples() {
  NpyStackWriter writer(file("stack.npy"));
  const Tensor all = counted({3, 2, 2});
  for (std::int64_t i = 0; i < 3; ++i) {
    Tensor sample = counted({2, 2});
    for (std::int32_t& element : sample.mutableValues<std::int32_t>()) {
      element += static_cast<std::int32_t>(4 * i);
    }
    writer.append(sample);
  }
  QVERIFY(!QFile::exists(m_folder.filePath("stack.npy")));
  writer.close();
  QVERIFY(identical(readNpy(file("stack.npy")), all));

  NpyStackWriter scalars(file("scalars.npy"));
  scalars.append(Tensor::scalar(toBFloat16(2.0F)));
  scalars.append(Tensor::scalar(3.0F));
  scalars.close();
  QVERIFY(identical(readNpy(file("scalars.npy")), Tensor::of<float>({2}, {2.0F, 3.0F})));

  const Tensor plain = counted({1, 2, 3});
  NpyStackWriter layouts(file("layouts.npy"));
  layouts.append(toLayout(plain, Layout::ChannelsLast));
  layouts.close();
  QVERIFY(identical(readNpy(file("layouts.npy")), plain.reshaped({1, 1, 2, 3})));
}

void NpyTest::stackRefusesOtherShapes() {
  NpyStackWriter writer(file("mixed.npy"));
  writer.append(counted({2, 2}));
  VERIFY_ERROR(writer.append(counted({4})), "cannot be stacked");
  VERIFY_ERROR(writer.append(Tensor::zeros(ElementType::Float32, {2, 2})), "float32");
}

void NpyTest::unfinishedStackLeavesNothing() {
  QTemporaryDir folder;
  {
    NpyStackWriter writer(folder.filePath("stack.npy").toStdString());
    writer.append(counted({2, 2}));
    QVERIFY(!QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
  }
  QVERIFY(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
  NpyStackWriter full("/dev/full");
  VERIFY_ERROR(full.append(counted({2, 2})), "the disk is full");
  VERIFY_ERROR(writeNpy(folder.filePath("no/a.npy").toStdString(), counted({1})), "create the");
}

void NpyTest::stackOfNothingIsAnError() {
  NpyStackWriter writer(file("none.npy"));
  VERIFY_ERROR(writer.close(), "no samples");
}

QUANTSCOPE_TEST(NpyTest)
#include "test_npy.moc"
