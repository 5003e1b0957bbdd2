#include <QTemporaryDir>
#include <QtTest>
#include <cstring>

#include "onnx/import.h"
#include "support/error_text.h"
#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"

using namespace quantscope;
using namespace quantscope::test;

class TensorFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsRawBytes();
  void readsTypedFields_data();
  void readsTypedFields();
  void fourBitCodesGetAByteEach();
  void boolsAreZeroOrOne();
  void tensorsWithoutElements();
  void refusesOtherFiles_data();
  void refusesOtherFiles();
  void externalDataIsRead_data();
  void externalDataIsRead();
  void externalDataStaysInTheFolder_data();
  void externalDataStaysInTheFolder();
  void linksOutOfTheFolderAreRefused();

 private:
  Tensor read(const ProtoMessage& tensor) const {
    return readTensorFile(writeFile(m_folder, "model/tensor.pb", tensor.text()));
  }
  QTemporaryDir m_folder;
};

void TensorFileTest::readsRawBytes() {
  QVERIFY(
      identical(read(onnxFloats("t", {2, 1}, {1.5F, -2})), Tensor::of<float>({2, 1}, {1.5F, -2})));
  QVERIFY(identical(read(onnxIntegers("t", {}, {-9})), Tensor::scalar<std::int64_t>(-9)));
}

void TensorFileTest::readsTypedFields_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("type");
  QTest::addColumn<double>("element");
  const auto row = [](ProtoMessage tensor, const char* type, double element) {
    QTest::newRow(type) << QByteArray::fromStdString(tensor.text()) << QByteArray(type) << element;
  };
  // Fields: 4 float, 5 int32 (and everything narrower), 7 int64, 11 uint64 (and uint32).
  row(onnxTensor("t", 1, {1}).real(4, -0.5F), "float32", -0.5);
  row(onnxTensor("t", 2, {1}).integer(5, 200), "uint8", 200);
  row(onnxTensor("t", 3, {1}).integer(5, -100), "int8", -100);
  row(onnxTensor("t", 4, {1}).integer(5, 60000), "uint16", 60000);
  row(onnxTensor("t", 5, {1}).integer(5, -30000), "int16", -30000);
  row(onnxTensor("t", 6, {1}).integer(5, -70000), "int32", -70000);
  row(onnxTensor("t", 7, {1}).integer(7, -3), "int64", -3);
  row(onnxTensor("t", 9, {1}).integer(5, 1), "bool", 1);
  row(onnxTensor("t", 10, {1}).integer(5, 0xC000), "float16", -2);
  row(onnxTensor("t", 12, {1}).integer(11, 4000000000), "uint32", 4000000000);
  row(onnxTensor("t", 13, {1}).integer(11, 5), "uint64", 5);
  row(onnxTensor("t", 16, {1}).integer(5, 0x4040), "bfloat16", 3);
}

void TensorFileTest::readsTypedFields() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, type);
  QFETCH(double, element);
  const Tensor tensor = readTensorFile(writeFile(m_folder, "typed.pb", bytes.toStdString()));
  QCOMPARE(QByteArray::fromStdString(std::string(name(tensor.type()))), type);
  QVERIFY(toFloat32(tensor).values<float>()[0] == static_cast<float>(element));
}

// The first of two codes in the low half; the last half of an odd count is of no meaning.
void TensorFileTest::fourBitCodesGetAByteEach() {
  const std::string bytes("\x81\xA7", 2);
  const ProtoMessage codes = onnxTensor("t", 22, {3}).bytes(9, bytes);
  QVERIFY(identical(read(codes), Tensor::of<std::int8_t>({3}, {1, -8, 7})));
  const ProtoMessage positive = onnxTensor("t", 21, {2, 2}).bytes(9, bytes);
  QVERIFY(identical(read(positive), Tensor::of<std::uint8_t>({2, 2}, {1, 8, 7, 10})));
  const ProtoMessage typed = onnxTensor("t", 22, {2}).integer(5, 0x81);
  QVERIFY(identical(read(typed), Tensor::of<std::int8_t>({2}, {1, -8})));
  VERIFY_ERROR(read(onnxTensor("t", 22, {5}).bytes(9, bytes)), "2 packed bytes");
}

void TensorFileTest::boolsAreZeroOrOne() {
  const Tensor tensor = read(onnxTensor("t", kBool, {3}).bytes(9, std::string("\x00\x02\xFF", 3)));
  const char expected[] = {0, 1, 1};
  QVERIFY(std::memcmp(tensor.bytes(), expected, 3) == 0);
}

void TensorFileTest::tensorsWithoutElements() {
  QCOMPARE(toString(read(onnxTensor("t", kFloat, {0, 4})).shape()), std::string("[0, 4]"));
  QCOMPARE(read(onnxFloats("t", {2, 0}, {})).elementCount(), 0U);
}

void TensorFileTest::refusesOtherFiles_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("sentence");
  QTest::newRow("text") << QByteArray("no tensor") << QByteArray("not a serialized ONNX tensor");
  QTest::newRow("empty") << QByteArray() << QByteArray("the file is empty");
  QTest::newRow("strings") << QByteArray::fromStdString(
                                  onnxTensor("t", kString, {1}).bytes(6, "a").text())
                           << QByteArray("of a type that is not read");
  QTest::newRow("too short") << QByteArray::fromStdString(onnxFloats("t", {2}, {1}).text())
                             << QByteArray("holds 4 bytes");
}

void TensorFileTest::refusesOtherFiles() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, sentence);
  const std::string file = writeFile(m_folder, "other.pb", bytes.toStdString());
  VERIFY_ERROR(readTensorFile(file), sentence.toStdString());
  VERIFY_ERROR(readTensorFile(file), file);
}

void TensorFileTest::externalDataIsRead_data() {
  QTest::addColumn<QByteArray>("location");
  QTest::addColumn<QByteArray>("offset");
  QTest::addColumn<QByteArray>("length");
  QTest::newRow("whole file") << QByteArray("first.bin") << QByteArray() << QByteArray();
  QTest::newRow("length given") << QByteArray("first.bin") << QByteArray("0") << QByteArray("8");
  QTest::newRow("offset") << QByteArray("later.bin") << QByteArray("4") << QByteArray("8");
  QTest::newRow("sub-folder") << QByteArray("sub/first.bin") << QByteArray() << QByteArray();
  QTest::newRow("there and back") << QByteArray("sub/../first.bin") << QByteArray() << QByteArray();
}

void TensorFileTest::externalDataIsRead() {
  QFETCH(QByteArray, location);
  QFETCH(QByteArray, offset);
  QFETCH(QByteArray, length);
  const std::string elements("\0\0\x80\x3F\0\0\0\x40", 8);  // 1, 2
  writeFile(m_folder, "model/first.bin", elements);
  writeFile(m_folder, "model/sub/first.bin", elements);
  writeFile(m_folder, "model/later.bin", "skip" + elements + "rest");
  const Tensor tensor = read(
      onnxExternal("t", {2}, location.toStdString(), offset.toStdString(), length.toStdString()));
  QVERIFY(identical(tensor, Tensor::of<float>({2}, {1, 2})));
}

void TensorFileTest::externalDataStaysInTheFolder_data() {
  QTest::addColumn<QByteArray>("location");
  QTest::addColumn<QByteArray>("offset");
  QTest::addColumn<QByteArray>("length");
  QTest::addColumn<QByteArray>("sentence");
  const auto row = [](const char* what, const QByteArray& location, const char* offset,
                      const char* length, const char* sentence) {
    QTest::newRow(what) << location << QByteArray(offset) << QByteArray(length)
                        << QByteArray(sentence);
  };
  const char* outside = "lies outside the model's folder";
  row("above", "../secret.bin", "", "", outside);
  row("above, and not there", "../nothing.bin", "", "", outside);
  row("a neighbour with a like name", "../model_2/data.bin", "", "", outside);
  row("absolute", "/etc/passwd", "", "", outside);
  row("no location", "", "", "", outside);
  row("a zero byte", QByteArray("data.bin\0/../../secret.bin", 26), "", "", outside);
  row("missing", "nothing.bin", "", "", "does not exist");
  row("a folder", "sub", "", "", "it is a folder");
  row("too short", "data.bin", "", "", "too short for 400 bytes");
  row("offset behind the end", "data.bin", "9", "400", "too short");
  row("offset that overflows", "data.bin", "18446744073709551615", "400", "too short");
  row("offset no number", "data.bin", "4x", "", "offset of external data is no number");
  row("negative offset", "data.bin", "-4", "", "offset of external data is no number");
  row("length of another shape", "data.bin", "0", "8", "holds 8 bytes of external data");
}

void TensorFileTest::externalDataStaysInTheFolder() {
  QFETCH(QByteArray, location);
  QFETCH(QByteArray, offset);
  QFETCH(QByteArray, length);
  QFETCH(QByteArray, sentence);
  writeFile(m_folder, "secret.bin", std::string(400, 's'));
  writeFile(m_folder, "model_2/data.bin", std::string(400, 's'));
  writeFile(m_folder, "model/sub/data.bin", "");
  writeFile(m_folder, "model/data.bin", "12345678");
  const ProtoMessage tensor =
      onnxExternal("t", {100}, location.toStdString(), offset.toStdString(), length.toStdString());
  VERIFY_ERROR(read(tensor), sentence.toStdString());
}

void TensorFileTest::linksOutOfTheFolderAreRefused() {
  writeFile(m_folder, "secret.bin", std::string(8, 's'));
  writeFile(m_folder, "model/own.bin", std::string(8, '\0'));
  QVERIFY(QFile::link(m_folder.filePath("secret.bin"), m_folder.filePath("model/link.bin")));
  QVERIFY(QFile::link(m_folder.filePath("model/own.bin"), m_folder.filePath("model/inner.bin")));
  QVERIFY(QFile::link(m_folder.path(), m_folder.filePath("model/up")));
  VERIFY_ERROR(read(onnxExternal("t", {2}, "link.bin")), "lies outside the model's folder");
  VERIFY_ERROR(read(onnxExternal("t", {2}, "up/secret.bin")), "lies outside the model's folder");
  QCOMPARE(read(onnxExternal("t", {2}, "inner.bin")).elementCount(), 2U);
}

QUANTSCOPE_TEST(TensorFileTest)
#include "test_tensors.moc"
