#include <QtTest>
#include <bit>
#include <nlohmann/json.hpp>

#include "export/format_case.h"
#include "export/formats/script_text.h"
#include "export/formats/shown_grids.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// The files for other tools, field by field, with names that want to break out of them.
class TextFormatsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ort();
  void aimet061();
  void aimet100();
  void aimet200();
  void tensorrt();
  void scopes();
  void namesOfTheFile();
  void tables();
  void ownConfigurationReadsBack();
  void losses_data();
  void losses();
  void modulePaths();
  void literals();
};

namespace {

const std::string kTensorrt =
    R"({"quantscope":1,"backend":"tensorrt","default":{"activation":{"type":"int8","symmetric":true}}})";
const std::string kFp32Last = R"({"quantscope":1,"nodes":{"/net/last/Conv":"fp32"}})";

}  // namespace

void TextFormatsTest::ort() {
  const FormatCase testCase("", kEvil);
  const QString out = runPython(testCase.write("ort").text, R"(
import json, script
script.main("m", None, "o")
)",
                                R"(
import json
class CalibrationDataReader: pass
class QuantFormat: QDQ = 1
class QuantType: QInt8 = "QInt8"; QUInt8 = "QUInt8"; QInt16 = "QInt16"; QUInt16 = "QUInt16"
import numpy
numpy.load = lambda path: type("Npz", (), {"files": []})()
def quantize_static(model, out, reader, **options):
    overrides = options["extra_options"].pop("TensorQuantOverrides")
    print(json.dumps({"options": {k: v for k, v in options.items() if k != "quant_format"},
        "overrides": {t: [{k: (v if isinstance(v, (str, int)) else [str(v.dtype), v.item()])
                           for k, v in e.items()} for e in l] for t, l in overrides.items()}}))
)");
  if (out.contains("No module named 'numpy'") || out == "no python") QSKIP("skipped: no numpy");
  QVERIFY2(out.startsWith("{"), qPrintable(out));
  const auto written = nlohmann::json::parse(out.toStdString());
  const auto& overrides = written.at("overrides");
  // The name, with its line break made harmless.
  const std::string name =
      "a\"]; import os; os.system('x')\xEF\xBF\xBD#*[?]<script>: \xF0\x9F\x98\x80";
  const auto& activation = overrides.at(name).at(0);
  const QuantParams& output = *testCase.layer(0).output;
  QCOMPARE(activation.at("quant_type").get<std::string>(), std::string("QUInt8"));
  QCOMPARE(activation.at("scale").at(0).get<std::string>(), std::string("float32"));
  QVERIFY(activation.at("scale").at(1).get<float>() == output.grids[0].scale);
  QCOMPARE(activation.at("zero_point").at(0).get<std::string>(), std::string("uint8"));
  QCOMPARE(activation.at("zero_point").at(1).get<int>(), output.grids[0].zeroPoint);
  const auto& weight = overrides.at("w");
  QCOMPARE(weight.size(), 3U);
  QCOMPARE(weight.at(0).at("axis").get<int>(), 0);
  QVERIFY(!weight.at(1).contains("axis"));
  for (std::size_t i = 0; i < 3; ++i) {
    QVERIFY(weight.at(i).at("scale").at(1).get<float>() ==
            testCase.layer(0).weight->grids[i].scale);
    QCOMPARE(weight.at(i).at("zero_point").at(0).get<std::string>(), std::string("int8"));
    for (const char* key : {"symmetric", "reduce_range", "rmin", "rmax"}) {
      QVERIFY(!weight.at(i).contains(key));
    }
  }
  const auto& options = written.at("options");
  QVERIFY(options.at("per_channel").get<bool>());
  QCOMPARE(options.at("op_types_to_quantize"), nlohmann::json({"Conv"}));
  QCOMPARE(options.at("nodes_to_exclude").size(), 0U);
  QVERIFY(options.at("extra_options").at("AddQDQPairToWeight").get<bool>());
}

void TextFormatsTest::aimet061() {
  const FormatCase testCase;
  const auto written = testCase.json("aimet-0.6.1");
  QCOMPARE(written.at("version").get<std::string>(), std::string("0.6.1"));
  const QuantParams& output = *testCase.layer(0).output;
  const auto& activation = written.at("activation_encodings").at("r");
  QCOMPARE(activation.size(), 1U);
  const auto& entry = activation.at(0);
  QCOMPARE(entry.at("is_symmetric").get<std::string>(), std::string("False"));
  QCOMPARE(entry.at("dtype").get<std::string>(), std::string("int"));
  QCOMPARE(entry.at("bitwidth").get<int>(), 8);
  QCOMPARE(entry.at("offset").get<int>(), -output.grids[0].zeroPoint);
  QVERIFY(entry.at("scale").get<float>() == output.grids[0].scale);
  const double scale = entry.at("scale").get<double>();
  QVERIFY(entry.at("min").get<double>() == scale * entry.at("offset").get<int>());
  QVERIFY(entry.at("max").get<double>() == scale * (255 + entry.at("offset").get<int>()));
  const auto& weights = written.at("param_encodings").at("w");
  QCOMPARE(weights.size(), 3U);  // one per channel
  QCOMPARE(weights.at(0).at("offset").get<int>(), -128);
  QCOMPARE(weights.at(0).at("is_symmetric").get<std::string>(), std::string("True"));
  QVERIFY(written.at("quantizer_args").at("per_channel_quantization").get<bool>());
  QCOMPARE(written.at("quantizer_args").at("param_bitwidth").get<int>(), 8);

  const FormatCase half(R"({"quantscope":1,"backend":"generic","default":{"weight":{"type":"fp16"},
                           "activation":{"type":"fp16"}}})");
  QCOMPARE(half.json("aimet-0.6.1").at("param_encodings").at("w").at(0),
           nlohmann::json({{"bitwidth", 16}, {"dtype", "float"}}));
}

void TextFormatsTest::aimet100() {
  const FormatCase testCase(R"({"quantscope":1,"backend":"generic","nodes":{"/net/last/Conv":
      {"weight":{"type":"int4","granularity":"per-group:1:2"}}}})",
                            kEvil);
  const auto written = testCase.json("aimet-1.0.0");
  QCOMPARE(written.at("version").get<std::string>(), std::string("1.0.0"));
  const auto find = [](const nlohmann::json& list, const std::string& name) {
    for (const auto& entry : list) {
      if (entry.at("name") == name) return entry;
    }
    return nlohmann::json();
  };
  const auto w = find(written.at("param_encodings"), "w");
  QCOMPARE(w.at("enc_type").get<std::string>(), std::string("PER_CHANNEL"));
  QCOMPARE(w.at("dtype").get<std::string>(), std::string("INT"));
  QCOMPARE(w.at("bw").get<int>(), 8);
  QVERIFY(w.at("is_sym").get<bool>());
  QCOMPARE(w.at("scale").size(), 3U);
  QCOMPARE(w.at("offset"), nlohmann::json({-128, -128, -128}));
  const auto b = find(written.at("param_encodings"), "b");
  QCOMPARE(b.at("bw").get<int>(), 32);
  QCOMPARE(b.at("offset").at(2).get<std::int64_t>(), -2147483648LL);
  const float inputScale = testCase.layer(0).activation->grids[0].scale;
  QVERIFY(b.at("scale").at(1).get<float>() == inputScale * w.at("scale").at(1).get<float>());
  const auto v = find(written.at("param_encodings"), "v");
  QCOMPARE(v.at("enc_type").get<std::string>(), std::string("PER_BLOCK"));
  QCOMPARE(v.at("block_size").get<int>(), 2);
  QCOMPARE(v.at("scale").size(), 4U);
  QCOMPARE(v.at("offset").at(0).get<int>(), -8);
  QVERIFY(!find(written.at("activation_encodings"), kEvil).is_null());
}

void TextFormatsTest::aimet200() {
  const FormatCase testCase(R"({"quantscope":1,"backend":"generic","nodes":{"/net/last/Conv":
      {"weight":{"type":"int4","granularity":"per-group:1:2"}}}})");
  const auto written = testCase.json("aimet-2.0.0");
  QCOMPARE(written.at("version").get<std::string>(), std::string("2.0.0"));
  QCOMPARE(written.size(), 2U);
  bool seen = false;
  for (const auto& entry : written.at("encodings")) {
    if (entry.at("name") == "w") {
      QCOMPARE(entry.at("output_dtype").get<std::string>(), std::string("int8"));
      QCOMPARE(entry.at("axis").get<int>(), 0);
      QCOMPARE(entry.at("y_scale").size(), 3U);
      QVERIFY(!entry.contains("y_zero_point"));
    }
    if (entry.at("name") == "x") {
      QCOMPARE(entry.at("output_dtype").get<std::string>(), std::string("uint8"));
      QVERIFY(entry.at("y_scale").is_number());
      QVERIFY(entry.at("y_zero_point").get<int>() > 0);
    }
    if (entry.at("name") == "v") {
      seen = true;
      QCOMPARE(entry.at("block_size").get<int>(), 2);
      QCOMPARE(entry.at("y_scale").size(), 2U);  // [2, 2, 1, 1]
      QCOMPARE(entry.at("y_scale").at(0).size(), 2U);
      QCOMPARE(entry.at("y_scale").at(0).at(0).at(0).size(), 1U);
    }
  }
  QVERIFY(seen);
}

void TextFormatsTest::tensorrt() {
  const FormatCase testCase(kTensorrt);
  const QStringList lines =
      QString::fromStdString(testCase.write("tensorrt-cache").text).split('\n');
  QCOMPARE(lines[0], QString("TRT-8601-EntropyCalibration2"));
  const QuantParams& output = *testCase.layer(0).output;
  QVERIFY(output.symmetric && output.type == QuantType::Int8);
  const QString hex = QString::number(std::bit_cast<std::uint32_t>(output.grids[0].scale), 16)
                          .rightJustified(8, '0');
  QVERIFY2(lines.contains("r: " + hex), qPrintable(lines.join('\n')));
  QVERIFY(lines.filter(QRegularExpression("^w: ")).isEmpty());
  // 1/127, as the format's description has it.
  QCOMPARE(QString::number(std::bit_cast<std::uint32_t>(1.0F / 127), 16), QString("3c010204"));

  const FormatCase evil(kTensorrt, kEvil);
  const FormatOutput output2 = evil.write("tensorrt-cache");
  QVERIFY(output2.text.find("import os") == std::string::npos);
  QVERIFY(std::ranges::any_of(output2.losses, [](const ExportLoss& loss) {
    return loss.what.find("cannot stand in a cache") != std::string::npos;
  }));
}

void TextFormatsTest::scopes() {
  const FormatCase testCase(kFp32Last);
  const std::string nncf = testCase.write("nncf").text;
  QVERIFY(nncf.find("ignored_scope = nncf.IgnoredScope(\n    names=[\n        \"/net/last/Conv\",\n"
                    "    ],\n    validate=True,\n)") != std::string::npos);
  const std::string inc = testCase.write("inc").text;
  QVERIFY(inc.find("\"/net/net\\\\.0/conv/Conv\": {\"weight\": {\"dtype\": [\"int8\"]}, "
                   "\"activation\": {\"dtype\": [\"uint8\"]}}") != std::string::npos);
  QVERIFY(inc.find("\"/net/last/Conv\": {\"weight\": {\"dtype\": [\"fp32\"]}") !=
          std::string::npos);
  const std::string modelopt = testCase.write("modelopt").text;
  QVERIFY(modelopt.find("\"default\": {\"enable\": False}") != std::string::npos);
  QVERIFY(modelopt.find("\"net.0.conv.weight_quantizer\": {\"num_bits\": 8, \"axis\": 0, "
                        "\"enable\": True}") != std::string::npos);
  QVERIFY(modelopt.find("\"net.0.conv.input_quantizer\": {\"num_bits\": 8, \"axis\": None") !=
          std::string::npos);
  QVERIFY(modelopt.find("net.last") == std::string::npos);
  QVERIFY(modelopt.find("\"algorithm\": \"max\"") != std::string::npos);
}

// Tools look nodes up in the model's file, where they may be called otherwise or nothing at all.
void TextFormatsTest::namesOfTheFile() {
  const FormatCase called(kFp32Last, "", "", "other");
  for (const char* format : {"nncf", "ort"}) {
    const FormatOutput output = called.write(format);
    QVERIFY(output.text.find("\"other\"") != std::string::npos);
    QVERIFY(output.text.find("/net/last/Conv") == std::string::npos);
    QCOMPARE(output.names.at("/net/last/Conv"), std::string("other"));
  }
  QVERIFY(called.write("inc").text.find("\"other\": {") != std::string::npos);
  const FormatCase unnamed(kFp32Last, "", "", "");
  for (const char* format : {"nncf", "ort", "inc"}) {
    const FormatOutput output = unnamed.write(format);
    QVERIFY(output.text.find("/net/last/Conv") == std::string::npos);
    QVERIFY(std::ranges::any_of(output.losses, [](const ExportLoss& loss) {
      return loss.node == "/net/last/Conv" && loss.what.starts_with("the file gives it no name");
    }));
  }
  // Model Explorer takes the name of its output.
  QVERIFY(unnamed.json("model-explorer").begin().value().at("results").contains("y"));
  const FormatCase repeated(kFp32Last, "", "", "/net/act/Relu");
  QVERIFY(std::ranges::any_of(repeated.write("nncf").losses, [](const ExportLoss& loss) {
    return loss.what.starts_with("the file has several nodes of its name");
  }));
  // Modules of PyTorch are other names, too.
  QCOMPARE(called.write("torchao").names.at("/net/net.0/conv/Conv"), std::string("net.0.conv"));
}

void TextFormatsTest::tables() {
  const FormatCase testCase("", "", "=cmd|' /C calc'!A0,\"x\"");
  const auto explorer = testCase.json("model-explorer");
  const auto& data = explorer.begin().value();
  QCOMPARE(data.at("results").at("/net/net.0/conv/Conv").at("value").get<int>(), 8);
  for (const auto& stop : data.at("gradient")) {
    QVERIFY(stop.at("stop").get<double>() >= 0 && stop.at("stop").get<double>() <= 1);
    QVERIFY(stop.at("bgColor").get<std::string>().starts_with("#"));
  }
  const QStringList lines = QString::fromStdString(testCase.write("csv").text).split("\r\n");
  QCOMPARE(lines.size(), 4);  // head, two layers, the end
  QVERIFY(
      lines[0].startsWith("node,operator,members,backend,weight_type,weight_mode,weight_scale"));
  QVERIFY(lines[1].startsWith("\"/net/net.0/conv/Conv\",\"Conv\",\"Conv+Relu\",\"x86\",\"int8\""));
  QVERIFY(lines[2].startsWith("\"'=cmd|' /C calc'!A0,\"\"x\"\"\",\"Conv\""));
}

// The file says all: other calibration data change nothing.
void TextFormatsTest::ownConfigurationReadsBack() {
  const FormatCase testCase("", kEvil);
  const Configuration config = parseConfiguration(testCase.write("json").text, "exported");
  QVERIFY(!config.encodings->empty());
  const QuantizedModel again = quantizeModel(*testCase.engine, config, testCase.observations);
  const Observations none;
  const QuantizedModel unobserved = quantizeModel(*testCase.engine, config, none);
  for (std::size_t i = 0; i < testCase.model.layers.size(); ++i) {
    const LayerQuantization& wanted = testCase.model.layers[i];
    for (const QuantizedModel* model : {&again, &unobserved}) {
      QVERIFY(model->layers[i].output->grids == wanted.output->grids);
      QVERIFY(model->layers[i].activation->grids == wanted.activation->grids);
      QVERIFY(model->layers[i].weight->grids == wanted.weight->grids);
    }
  }
}

void TextFormatsTest::losses_data() {
  QTest::addColumn<QString>("format");
  QTest::addColumn<QString>("types");
  QTest::addColumn<QString>("what");
  const auto row = [](const char* format, const char* types, const char* what) {
    QTest::addRow("%s: %s", format, what) << QString(format) << QString(types) << QString(what);
  };
  const char* const fp8 = R"("weight":{"type":"fp8e4m3"},"activation":{"type":"fp8e4m3"})";
  const char* const dynamic = R"("activation":{"mode":"dynamic"})";
  row("ort", fp8, "overrides of type fp8e4m3 are not written");
  row("ort", dynamic, "a range per sample is no part of static quantization");
  row("aimet-0.6.1", fp8, "encodings of type fp8e4m3 do not exist");
  row("aimet-1.0.0", dynamic, "a range per sample has no encoding");
  row("aimet-0.6.1", R"("weight":{"granularity":"per-group:1:2"})", "blocks have no encoding");
  row("tensorrt-cache", R"("activation":{"type":"int16"})", "a cache holds 8-bit integers");
  row("tensorrt-cache", "", "the grid becomes symmetric int8");
  row("torch", fp8, "there is no backend for fp8e4m3: it stays float");
  row("torchao", fp8, "there is no backend for fp8e4m3: it stays float");
  row("nncf", fp8, "become NNCF's 8-bit integers");
  row("nncf", R"("activation":{"type":"int16"})", "its types int8 / int16 become NNCF's");
  row("nncf", R"("weight":{"type":"int4"})", "its types int4 / uint8 become NNCF's");
  row("inc", R"("weight":{"type":"int4"})", "its type int4 has no name there");
  row("modelopt", R"("weight":{"type":"bf16"})", "its type bf16 has no num_bits");
  row("modelopt", "", "becomes symmetric: there is no zero point");
  row("json", R"("weight":{"type":"ternary"})", "weights of type ternary have no encoding");
}

void TextFormatsTest::losses() {
  QFETCH(QString, format);
  QFETCH(QString, types);
  QFETCH(QString, what);
  const FormatCase testCase(
      QString(R"({"quantscope":1,"backend":"generic","default":{%1}})").arg(types).toStdString());
  QStringList told;
  for (const ExportLoss& loss : testCase.write(qPrintable(format)).losses) {
    told << QString::fromStdString(loss.node + ": " + loss.what);
  }
  QVERIFY2(!told.filter(what).isEmpty(), qPrintable(told.join('\n')));
}

void TextFormatsTest::modulePaths() {
  QCOMPARE(modulePath("/layer1/layer1.0/conv1/Conv"), std::string("layer1.0.conv1"));
  QCOMPARE(modulePath("/conv/Conv"), std::string("conv"));
  QCOMPARE(modulePath("/Add"), std::string(""));
  QCOMPARE(modulePath("Conv_7"), std::string(""));
}

void TextFormatsTest::literals() {
  QCOMPARE(pythonString("a\"b\\c"), std::string(R"("a\"b\\c")"));
  QCOMPARE(pythonString("\xC3\xA9\xF0\x9F\x98\x80\n"), std::string(R"("\u00e9\U0001f600\ufffd")"));
  QCOMPARE(csvField("a\"b"), std::string("\"a\"\"b\""));
  QCOMPARE(csvField("@x"), std::string("\"'@x\""));
  QCOMPARE(regexFor("a.b[0]"), std::string("a\\.b\\[0\\]"));
  QCOMPARE(wildcardFor("a*[b?"), std::string("a[*][[]b[?]"));
}

QUANTSCOPE_TEST(TextFormatsTest)
#include "test_text_formats.moc"
