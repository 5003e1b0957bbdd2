#include <QTemporaryDir>
#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>

#include "cli/command_line.h"
#include "quant/quant_type.h"
#include "support/npy_bytes.h"
#include "support/test_main.h"
#include "support/test_paths.h"
#include "support/write_file.h"
#include "tensor/npy.h"

using namespace quantscope::test;
using nlohmann::json;
using quantscope::Tensor;

/// `tensor`: one array rounded to every type.
class TensorCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scales_data();
  void scales();
  void values();
  void agreesWithPyTorch_data();
  void agreesWithPyTorch();
  void constantsComeBack_data();
  void constantsComeBack();
  void shapes_data();
  void shapes();
  void observers();
  void otherElementTypes();
  void figures();
  void nonFinite();
  void overflow();
  void codes_data();
  void codes();
  void codesOfGroups();
  void text();
  void wrongUsage_data();
  void wrongUsage();
  void refused_data();
  void refused();
  void numbersBeyondFloat32();
  void arraysBeyondTheBudget();
  void observersThatHaveNoPart();

 private:
  QString write(const char* shape, const std::vector<float>& elements);
  json run(const QString& in, const QStringList& options);
  std::vector<float> result() const;
  QString out() const { return m_folder.filePath("out.npy"); }

  QTemporaryDir m_folder;
};

namespace {

const std::vector<float> kSix{1, -2, 3, 0.5F, -8, 4};

QStringList words(const QString& line) {
  return line.split(' ', Qt::SkipEmptyParts);
}

template <class T>
std::string bytesOf(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

}  // namespace

QString TensorCommandTest::write(const char* shape, const std::vector<float>& elements) {
  return QString::fromStdString(
      writeFile(m_folder, "in.npy", npyBytes(npyDictionary("<f4", shape), bytesOf(elements))));
}

json TensorCommandTest::run(const QString& in, const QStringList& options) {
  const Outcome outcome =
      runCli(QStringList{"tensor", in, "--out", out(), "--json", "-"} + options);
  if (outcome.status != 0 || !outcome.err.isEmpty()) qFatal("%s", describe(outcome).constData());
  return json::parse(outcome.out.toStdString());
}

std::vector<float> TensorCommandTest::result() const {
  const Tensor tensor = quantscope::readNpy(out().toStdString());
  const std::span<const float> values = tensor.values<float>();
  return {values.begin(), values.end()};
}

void TensorCommandTest::scales_data() {
  QTest::addColumn<QString>("options");
  QTest::addColumn<QList<float>>("scale");
  QTest::addColumn<QList<int>>("zeroPoint");
  // The array is [[1, -2, 3], [0.5, -8, 4]].
  const auto row = [](const char* options, QList<float> scale, QList<int> zeroPoint) {
    QTest::newRow(options) << QString(options) << scale << zeroPoint;
  };
  row("", {8.0F / 127}, {0});
  row("--convention pytorch", {8.0F / 127.5F}, {0});
  row("--type uint8", {8.0F / 127}, {128});
  row("--type uint8 --asymmetric", {12.0F / 255}, {170});
  row("--type int16", {8.0F / 32767}, {0});
  row("--type int4 --range -2:7", {1}, {0});
  row("--type int4 --range -7:2", {1}, {0});
  row("--type uint4 --asymmetric --range 0:30", {2}, {0});
  row("--type int2 --granularity per-channel:0", {3, 8}, {0, 0});
  row("--type int2 --granularity per-channel:-1", {1, 8, 4}, {0, 0, 0});
  row("--type int2 --granularity per-group:1:2", {2, 3, 8, 4}, {0, 0, 0, 0});
  row("--type int2 --granularity per-group:0:5", {1, 8, 4}, {0, 0, 0});
  row("--type fp8e4m3", {8.0F / 448}, {0});
  row("--type fp8e5m2 --granularity per-channel:0", {3.0F / 57344, 8.0F / 57344}, {0, 0});
  row("--type fp16", {1}, {0});
  row("--type bf16", {1}, {0});
  row("--type fp32", {1}, {0});
  // mean|x| = 18.5 / 6, threshold 2.158, beyond it 3, 8 and 4.
  row("--type ternary", {5}, {0});
  row("--type binary", {static_cast<float>(18.5 / 6)}, {0});
  row("--type binary --granularity per-group:1:2", {1.5F, 3, 4.25F, 4}, {0, 0, 0, 0});
}

void TensorCommandTest::scales() {
  QFETCH(QString, options);
  QFETCH(QList<float>, scale);
  QFETCH(QList<int>, zeroPoint);
  const json result = run(write("(2, 3)", kSix), words(options));
  QVERIFY2(result.at("scale") == json(std::vector<float>(scale.begin(), scale.end())),
           result.dump().c_str());
  QVERIFY2(result.at("zero_point") == json(std::vector<int>(zeroPoint.begin(), zeroPoint.end())),
           result.dump().c_str());
}

void TensorCommandTest::values() {
  const QString in = write("(2, 3)", kSix);
  const auto rounded = [&](const char* options) {
    run(in, words(options));
    return result();
  };
  using Values = std::vector<float>;
  QVERIFY(rounded("--type int4 --range -7:7") == (Values{1, -2, 3, 0, -8, 4}));
  QVERIFY(rounded("--type int2 --granularity per-group:1:2") == (Values{0, -2, 3, 0, -8, 4}));
  QVERIFY(rounded("--type ternary") == (Values{0, 0, 5, 0, -5, 5}));
  QVERIFY(rounded("--type binary --granularity per-channel:0") ==
          (Values{2, -2, 2, 12.5F / 3, -12.5F / 3, 12.5F / 3}));
  QVERIFY(rounded("--type fp32") == kSix);
  QVERIFY(rounded("--type bf16") == kSix);
}

void TensorCommandTest::agreesWithPyTorch_data() {
  QTest::addColumn<QString>("type");
  QTest::newRow("fp16") << "fp16";
  QTest::newRow("bf16") << "bf16";
}

void TensorCommandTest::agreesWithPyTorch() {
  QFETCH(QString, type);
  const QString folder = QUANTSCOPE_TEST_DATA "/float_formats/";
  run(folder + "numbers.npy", {"--type", type});
  const Tensor expected = quantscope::readNpy((folder + type + ".npy").toStdString());
  QVERIFY(quantscope::identical(quantscope::readNpy(out().toStdString()), expected));
}

void TensorCommandTest::constantsComeBack_data() {
  QTest::addColumn<QString>("options");
  for (const char* type : {"int16", "uint16", "int8", "uint8", "int4", "uint4", "int2", "uint2",
                           "fp8e4m3", "fp8e5m2", "ternary", "binary"}) {
    QTest::newRow(type) << QString("--type %1").arg(type);
    if (QString(type).contains("int")) {
      QTest::addRow("%s, asymmetric", type) << QString("--type %1 --asymmetric").arg(type);
    }
  }
}

// Within 1 ulp, and 0 as 0. Half types have no scale: they are as exact as they are.
void TensorCommandTest::constantsComeBack() {
  QFETCH(QString, options);
  for (const float constant : {0.1F, -3.3333333F, 1e30F, -1e-30F, 0.0F, 255.99F}) {
    run(write("(2, 2, 3)", std::vector<float>(12, constant)), words(options));
    for (const float value : result()) {
      const auto distance =
          std::abs(std::bit_cast<std::int32_t>(value) - std::bit_cast<std::int32_t>(constant));
      QVERIFY2(distance <= 1, QByteArray::number(value));
    }
  }
}

void TensorCommandTest::shapes_data() {
  QTest::addColumn<QByteArray>("shape");
  QTest::addColumn<int>("elements");
  QTest::addColumn<QString>("granularity");
  QTest::newRow("scalar") << QByteArray("()") << 1 << "per-tensor";
  QTest::newRow("nothing") << QByteArray("(0,)") << 0 << "per-tensor";
  QTest::newRow("no rows") << QByteArray("(0, 3)") << 0 << "per-channel:1";
  QTest::newRow("no channels") << QByteArray("(3, 0)") << 0 << "per-channel:1";
  QTest::newRow("no groups") << QByteArray("(3, 0, 2)") << 0 << "per-group:1:4";
  QTest::newRow("groups of nothing") << QByteArray("(3, 2, 0)") << 0 << "per-group:1:4";
  QTest::newRow("8 axes") << QByteArray("(1, 2, 1, 3, 2, 1, 2, 2)") << 48 << "per-group:3:2";
  QTest::newRow("a group longer than its axis") << QByteArray("(4, 3)") << 12 << "per-group:0:99";
}

void TensorCommandTest::shapes() {
  QFETCH(QByteArray, shape);
  QFETCH(int, elements);
  QFETCH(QString, granularity);
  std::vector<float> ramp;
  for (int i = 0; i < elements; ++i) ramp.push_back(static_cast<float>(i));
  const QString in = write(shape, ramp);
  for (const char* type : {"int8", "fp8e4m3", "fp16", "ternary", "binary"}) {
    QStringList options{"--type", type};
    if (quantscope::hasScale(*quantscope::quantTypeFromName(type))) {
      options << "--granularity" << granularity;
    }
    const json figures = run(in, options);
    const Tensor before = quantscope::readNpy(in.toStdString());
    QVERIFY(quantscope::readNpy(out().toStdString()).shape() == before.shape());
    if (elements == 0) {
      QVERIFY(figures.at("sqnr_db").is_null() && figures.at("mse").is_null());
      QVERIFY(figures.at("max_abs").is_null());
    }
  }
}

// One number is far off: each observer but minmax leaves it out, where few codes make it costly.
void TensorCommandTest::observers() {
  std::vector<float> numbers;
  for (int i = -500; i <= 500; ++i) numbers.push_back(static_cast<float>(i) / 500);
  numbers.push_back(9);
  const QString in = write("(1002,)", numbers);
  const auto absmax = [&](const char* observer) {
    const json result = run(in, {"--type", "int4", "--observer", observer});
    return result.at("scale")[0].get<double>() * 7;
  };
  QVERIFY(std::abs(absmax("minmax") - 9) < 1e-5);
  QVERIFY(std::abs(absmax("moving-average:0.5") - 9) < 1e-5);
  for (const char* observer : {"mse", "kl", "max-code-entropy", "percentile:1:99"}) {
    QVERIFY2(absmax(observer) > 0.7 && absmax(observer) < 5, observer);
  }
  QVERIFY(absmax("kl") == absmax("entropy"));
}

void TensorCommandTest::otherElementTypes() {
  const std::vector<double> doubles(kSix.begin(), kSix.end());
  const std::string bytes = npyBytes(npyDictionary("<f8", "(6,)"), bytesOf(doubles));
  const QString in = QString::fromStdString(writeFile(m_folder, "double.npy", bytes));
  const json fromDoubles = run(in, {"--type", "int4"});
  QVERIFY(fromDoubles == run(write("(6,)", kSix), {"--type", "int4"}));
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000};  // 1, −2
  const std::string halfBytes = npyBytes(npyDictionary("<f2", "(2,)"), bytesOf(halves));
  run(QString::fromStdString(writeFile(m_folder, "half.npy", halfBytes)), {"--range", "-127:127"});
  QVERIFY(result() == (std::vector<float>{1, -2}));
}

// Codes 1, −2, 3, 0 (of 0.5), −8, 4: one error, of 0.5.
void TensorCommandTest::figures() {
  const QString in = write("(6,)", kSix);
  const json measured = run(in, {"--type", "int4", "--range", "-7:7"});
  QVERIFY(measured.at("type") == "int4");
  QVERIFY(measured.at("qmin") == -8 && measured.at("qmax") == 7);
  QVERIFY(measured.at("max_abs") == 0.5);
  QVERIFY(measured.at("mse") == 0.25 / 6);
  QVERIFY(std::abs(measured.at("sqnr_db").get<double>() - 10 * std::log10(94.25 / 0.25)) < 1e-12);
  QVERIFY(run(in, {"--type", "fp32"}).at("sqnr_db") == "Infinity");
  QVERIFY(run(in, {"--type", "fp8e4m3"}).at("qmax").is_null());
  QVERIFY(run(in, {"--type", "binary"}).at("qmin") == -1);
  QVERIFY(run(write("(2,)", {0, 0}), {}).at("sqnr_db").is_null());
}

void TensorCommandTest::nonFinite() {
  const float infinity = std::numeric_limits<float>::infinity();
  const QString in = write("(4,)", {std::nanf(""), infinity, -infinity, 127});
  const json measured = run(in, {});
  QVERIFY(measured.at("scale") == nlohmann::json::array({1.0}));
  QVERIFY(measured.at("non_finite") == 3 && measured.at("mse") == 0.0);
  QVERIFY(measured.at("observed_min") == 127 && measured.at("observed_max") == 127);
  const std::vector<float> values = result();
  QVERIFY(std::isnan(values[0]));
  QVERIFY(values[1] == 127 && values[2] == -128 && values[3] == 127);
}

void TensorCommandTest::overflow() {
  const json measured = run(write("(2,)", {1, 70000}), {"--type", "fp16"});
  QVERIFY(measured.at("overflows") == 1);
  QVERIFY(measured.at("mse") == "Infinity" && measured.at("max_abs") == "Infinity");
  QVERIFY(measured.at("sqnr_db") == "-Infinity");
  QVERIFY(std::isinf(result()[1]));
}

void TensorCommandTest::codes_data() {
  QTest::addColumn<QString>("options");
  QTest::addColumn<QString>("elementType");
  QTest::addColumn<QList<int>>("expected");
  const auto row = [](const char* options, const char* type, const QList<int>& expected) {
    QTest::newRow(options) << QString(options) << QString(type) << expected;
  };
  row("--range -127:127", "int8", {1, -2, 3, 0, -8, 4});
  row("--range -8:4 --type uint4 --asymmetric", "uint8", {11, 8, 14, 11, 0, 15});
  row("--range -7:7 --type int4", "int8", {1, -2, 3, 0, -8, 4});
  row("--range -1:1 --type int2", "int8", {1, -2, 1, 0, -2, 1});
  row("--range -32767:32767 --type int16", "int16", {1, -2, 3, 0, -8, 4});
  row("--range -32767:32767 --type uint16", "uint16", {32769, 32766, 32771, 32768, 32760, 32772});
  row("--range -4:4 --type ternary", "int8", {0, 0, 1, 0, -1, 1});
  row("--type binary", "int8", {1, -1, 1, 1, -1, 1});
  row("--type bf16", "uint16", {0x3F80, 0xC000, 0x4040, 0x3F00, 0xC100, 0x4080});
  row("--range -448:448 --type fp8e4m3", "uint8", {0x38, 0xC0, 0x44, 0x30, 0xD0, 0x48});
}

// 1, −2, 3, 0.5 (a tie to even), −8, 4.
void TensorCommandTest::codes() {
  QFETCH(QString, options);
  QFETCH(QString, elementType);
  QFETCH(QList<int>, expected);
  const QString file = m_folder.filePath("codes.npy");
  run(write("(6,)", kSix), words(options) + QStringList{"--codes", file});
  const Tensor codes = quantscope::readNpy(file.toStdString());
  QCOMPARE(QString::fromUtf8(quantscope::name(codes.type()).data()), elementType);
  QVERIFY(codes.shape() == (quantscope::Shape{6}));
  QList<int> found;
  const Tensor numbers = toFloat32(codes);
  for (const float code : numbers.values<float>()) found << static_cast<int>(code);
  QCOMPARE(found, expected);
}

// Rows of three in groups of two: scales 2/7, 3/7, 8/7 and 4/7. (1 over float32(2/7) is below 3.5.)
void TensorCommandTest::codesOfGroups() {
  const QString file = m_folder.filePath("codes.npy");
  run(write("(2, 3)", kSix), {"--type", "int4", "--granularity", "per-group:1:2", "--codes", file});
  const Tensor codes = quantscope::readNpy(file.toStdString());
  const std::vector<std::int8_t> expected{3, -7, 7, 0, -7, 7};
  QVERIFY(std::ranges::equal(codes.values<std::int8_t>(), expected));
}

void TensorCommandTest::text() {
  const QString in = write("(6,)", kSix);
  const Outcome outcome =
      runCli({"tensor", in, "--type", "int4", "--range", "-7:7", "--out", out()});
  QVERIFY2(outcome.status == 0 && outcome.err.isEmpty(), describe(outcome));
  QVERIFY2(outcome.out.startsWith("int4 symmetric per-tensor, scale 1, zero point 0\n"),
           describe(outcome));
  QVERIFY2(outcome.out.contains("6 elements written to "), describe(outcome));
}

void TensorCommandTest::wrongUsage_data() {
  QTest::addColumn<QString>("options");
  QTest::addColumn<QString>("problem");
  const auto row = [](const char* options, const char* problem) {
    QTest::newRow(options) << QString(options) << QString(problem);
  };
  row("--type int7", "'int7' is none of fp32, fp16");
  row("--type fp8e4m3 --asymmetric", "--asymmetric: fp8e4m3 has no zero point");
  row("--asymmetric --type binary", "--asymmetric: binary has no zero point");
  row("--granularity per-row", "'per-row' is none of per-tensor");
  row("--granularity per-channel", "'per-channel' is none of");
  row("--granularity per-group:0:0", "per-group:AXIS:SIZE with a SIZE from 1 to 2147483647");
  row("--observer guess", "\"guess\" is no observer");
  row("--observer percentile:2:1", "percentile:2:1");
  row("--range 5:5", "'5:5' is a single number");
  row("--range 0:0", "'0:0' is a single number");
  row("--type fp32 --codes codes.npy", "--codes: fp32 is not quantized");
  row("--range 2:1", "'2:1' has a low end above its high end");
  row("--range -1", "'-1' is not two numbers");
  row("--range -1e39:1", "'-1e39:1' is not two numbers LO:HI that float32 holds");
  row("--range 0:inf", "'0:inf' is not two numbers");
  row("--range nan:1", "'nan:1' is not two numbers");
  row("--range 0:1 --type bf16", "bf16 has no scale");
  row("--convention caffe", "'caffe' is neither onnx nor pytorch");
}

void TensorCommandTest::wrongUsage() {
  QFETCH(QString, options);
  QFETCH(QString, problem);
  const QString in = write("(6,)", kSix);
  QFile::remove(out());
  const Outcome outcome = runCli(QStringList{"tensor", in, "--out", out()} + words(options));
  QVERIFY2(outcome.status == 2 && outcome.out.isEmpty(), describe(outcome));
  QVERIFY2(outcome.err.startsWith("error: ") && outcome.err.count('\n') == 1, describe(outcome));
  QVERIFY2(outcome.err.contains(problem), describe(outcome));
  QVERIFY(!QFile::exists(out()));
}

void TensorCommandTest::refused_data() {
  QTest::addColumn<QByteArray>("shape");
  QTest::addColumn<QString>("options");
  QTest::addColumn<QString>("remedy");
  QTest::newRow("axis beyond the last") << QByteArray("(2, 3)") << "--granularity per-channel:2"
                                        << "use an axis from 0 to 1";
  QTest::newRow("axis before the first")
      << QByteArray("(2, 3)") << "--granularity per-group:-3:2 --type ternary"
      << "use an axis from 0 to 1";
  QTest::newRow("axis of a scalar") << QByteArray("()") << "--granularity per-channel:0"
                                    << "use per-tensor";
  QTest::newRow("half type, no such axis")
      << QByteArray("(6,)") << "--granularity per-channel:1 --type fp16"
      << "use an axis from 0 to 0";
}

void TensorCommandTest::refused() {
  QFETCH(QByteArray, shape);
  QFETCH(QString, options);
  QFETCH(QString, remedy);
  const QString in = write(shape, shape == "()" ? std::vector<float>{1} : kSix);
  QFile::remove(out());
  const Outcome outcome = runCli(QStringList{"tensor", in, "--out", out()} + words(options));
  const QByteArray fault = faultOfRefusal(outcome, "in.npy", remedy);
  QVERIFY2(fault.isEmpty(), fault);
  QVERIFY(!QFile::exists(out()));
}

void TensorCommandTest::numbersBeyondFloat32() {
  const std::string bytes = npyBytes(npyDictionary("<f8", "(2,)"), bytesOf<double>({1, 1e300}));
  const QString in = QString::fromStdString(writeFile(m_folder, "in.npy", bytes));
  const Outcome outcome = runCli({"tensor", in, "--out", out()});
  const QByteArray fault = faultOfRefusal(outcome, "element 1 of the array", "scale the array");
  QVERIFY2(fault.isEmpty(), fault);
}

void TensorCommandTest::arraysBeyondTheBudget() {
  const QString in = write("(1000, 1000)", std::vector<float>(1'000'000));
  const QStringList command{"tensor", in, "--out", out(), "--memory"};
  const QByteArray fault =
      faultOfRefusal(runCli(command + QStringList{"7"}), "take 8 MiB", "pieces");
  QVERIFY2(fault.isEmpty(), fault);
  QCOMPARE(runCli(command + QStringList{"8"}).status, 0);
}

void TensorCommandTest::observersThatHaveNoPart() {
  const QString in = write("(6,)", kSix);
  const auto noticeOf = [&](const QStringList& options) {
    const Outcome outcome = runCli(QStringList{"tensor", in, "--out", out()} + options);
    return outcome.status == 0 ? outcome.err : QString("failed");
  };
  for (const QString type : {"ternary", "binary"}) {
    QCOMPARE(
        noticeOf({"--type", type, "--observer", "mse"}),
        "notice: --observer has no effect: the mean magnitude sets the scale of " + type + "\n");
    QCOMPARE(noticeOf({"--type", type, "--convention", "pytorch"}),
             "notice: --convention has no effect: " + type + " has one rule for its scale\n");
  }
  for (const QString type : {"fp16", "bf16", "fp32"}) {
    const QString why = " has no effect: " + type + " has no scale\n";
    QCOMPARE(noticeOf({"--type", type, "--observer", "mse"}), "notice: --observer" + why);
    QCOMPARE(noticeOf({"--type", type, "--granularity", "per-channel:0"}),
             "notice: --granularity" + why);
    QCOMPARE(noticeOf({"--type", type, "--convention", "onnx"}), "notice: --convention" + why);
    QCOMPARE(noticeOf({"--type", type, "--granularity", "per-tensor"}), QString());
  }
  QCOMPARE(noticeOf({"--range", "-1:1", "--observer", "mse"}),
           QString("notice: --observer has no effect: the range is set by hand\n"));
  QCOMPARE(noticeOf({"--observer", "mse", "--granularity", "per-channel:0"}), QString());
}

QUANTSCOPE_TEST(TensorCommandTest)
#include "test_tensor_command.moc"
