#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "support/graph_text.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "widgets/data/number_list.h"
#include "widgets/data/preprocessing_form.h"
#include "widgets/named_widget.h"

using namespace quantscope;
using namespace quantscope::test;

class PreprocessingFormTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void proposals_data();
  void proposals();
  void makersPropose_data();
  void makersPropose();
  void presetsPrepareWhatTheModelTakes_data();
  void presetsPrepareWhatTheModelTakes();
  void everyKeyComesBack_data();
  void everyKeyComesBack();
  void presetIsChosen();
  void wrongNumbers_data();
  void wrongNumbers();
  void savedAndLoaded();
  void numbers_data();
  void numbers();
};

namespace {

std::vector<PreprocessingPreset> presetsOf(const QString& input) {
  const auto graph = graphFromText("input x:" + input.toStdString() + "\ny = Neg(x)");
  const auto picture = pictureInput(*graph);
  return picture ? presetsFor(*picture) : std::vector<PreprocessingPreset>{};
}

}  // namespace

void PreprocessingFormTest::proposals_data() {
  QTest::addColumn<QString>("input");
  QTest::addColumn<QString>("json");
  const auto row = [](const char* input, const char* json) {
    QTest::newRow(input) << QString(input) << QString(json);
  };
  row("float[N,3,224,224]",
      R"({"size":[256,256],"resize":"shorter-side","crop":[224,224],"color":"rgb",)"
      R"("scale":0.00392156862745098,"mean":[0.485,0.456,0.406],"std":[0.229,0.224,0.225],)"
      R"("layout":"nchw"})");
  row("float[1,96,128,3]",
      R"({"size":[96,128],"resize":"shorter-side","crop":[96,128],"color":"rgb",)"
      R"("scale":0.00784313725490196,"mean":[1.0],"layout":"nhwc"})");
  row("float[1,1,28,28]",
      R"({"size":[28,28],"resize":"shorter-side","crop":[28,28],"color":"gray",)"
      R"("scale":0.00392156862745098,"layout":"nchw"})");
  row("uint8[1,32,32,3]",
      R"({"size":[32,32],"resize":"shorter-side","crop":[32,32],"color":"rgb","scale":1.0,)"
      R"("layout":"nhwc"})");
  row("float[3,16,16]",
      R"({"size":[18,18],"resize":"shorter-side","crop":[16,16],"color":"rgb",)"
      R"("scale":0.00392156862745098,"mean":[0.485,0.456,0.406],"std":[0.229,0.224,0.225],)"
      R"("layout":"nchw"})");
  row("float[N,10]", "");
  row("float[N,4,8,8]", "");
}

void PreprocessingFormTest::proposals() {
  QFETCH(QString, input);
  QFETCH(QString, json);
  const auto presets = presetsOf(input);
  QCOMPARE(presets.empty(), json.isEmpty());
  if (presets.empty()) return;
  QCOMPARE(QString::fromStdString(toJson(presets.front().preprocessing)), json);
}

void PreprocessingFormTest::makersPropose_data() {
  QTest::addColumn<QString>("producer");
  QTest::addColumn<QList<double>>("mean");
  const QList<double> imageNet{0.485, 0.456, 0.406};
  QTest::newRow("none") << "" << imageNet;
  QTest::newRow("pytorch") << "pytorch" << imageNet;
  QTest::newRow("tf2onnx") << "tf2onnx" << QList<double>{1};
  QTest::newRow("keras") << "h5keras2onnx" << QList<double>{1};
  QTest::newRow("caffe") << "onnx-caffe2" << QList<double>{104, 117, 123};
}

void PreprocessingFormTest::makersPropose() {
  QFETCH(QString, producer);
  QFETCH(QList<double>, mean);
  Graph graph = *graphFromText("input x:float[N,3,32,32]\ny = Neg(x)");
  graph.producerName = producer.toStdString();
  const auto presets = presetsFor(*pictureInput(graph));
  const std::vector<double>& proposed = presets.front().preprocessing.mean;
  QCOMPARE(QList<double>(proposed.begin(), proposed.end()), mean);
  QCOMPARE(presets.size(), std::size_t{5});
}

void PreprocessingFormTest::presetsPrepareWhatTheModelTakes_data() {
  QTest::addColumn<QString>("input");
  QTest::addColumn<Shape>("shape");
  QTest::newRow("NCHW") << "float[N,3,24,32]" << Shape{1, 3, 24, 32};
  QTest::newRow("NHWC") << "float[N,24,32,3]" << Shape{1, 24, 32, 3};
  QTest::newRow("gray") << "float[N,1,24,32]" << Shape{1, 1, 24, 32};
  QTest::newRow("gray last") << "float[N,24,32,1]" << Shape{1, 24, 32, 1};
  QTest::newRow("integers") << "uint8[N,3,24,32]" << Shape{1, 3, 24, 32};
}

void PreprocessingFormTest::presetsPrepareWhatTheModelTakes() {
  QFETCH(QString, input);
  QFETCH(Shape, shape);
  for (const PreprocessingPreset& preset : presetsOf(input)) {
    for (const PictureSize size : {PictureSize{10, 90}, PictureSize{90, 10}, PictureSize{24, 32}}) {
      QVERIFY2(preprocess(RgbPicture(size), preset.preprocessing).shape() == shape,
               qPrintable(preset.name));
    }
  }
}

void PreprocessingFormTest::everyKeyComesBack_data() {
  QTest::addColumn<QByteArray>("json");
  for (const char* json :
       {R"({"size":[256,192],"resize":"letterbox","crop":[16,8],"color":"bgr","scale":0.1,)"
        R"("mean":[104.0,117.0,123.0],"std":[0.5],"layout":"nhwc"})",
        R"({"resize":"stretch","color":"gray","scale":0.00784313725490196,"layout":"nchw"})"}) {
    QTest::newRow(json) << QByteArray(json);
  }
}

void PreprocessingFormTest::everyKeyComesBack() {
  QFETCH(QByteArray, json);
  PreprocessingForm form(presetsOf("float[N,3,224,224]"));
  form.setPreprocessing(parsePreprocessing(json.constData()));
  QVERIFY(form.preprocessing().has_value());
  QCOMPARE(QByteArray::fromStdString(toJson(*form.preprocessing())), json);
}

void PreprocessingFormTest::presetIsChosen() {
  const auto presets = presetsOf("float[N,3,224,224]");
  PreprocessingForm form(presets);
  QSignalSpy changed(&form, &PreprocessingForm::changed);
  auto* choice = named<QComboBox>(form, "Preset");
  choice->setCurrentIndex(1);
  Q_EMIT choice->activated(1);
  QCOMPARE(changed.count(), 1);
  QVERIFY(form.preprocessing() == presets[1].preprocessing);
  // What is changed by hand is nobody's preset any more, and coming back is one again.
  auto* side = named<QSpinBox>(form, "Size: height");
  const int before = side->value();
  side->setValue(300);
  QCOMPARE(choice->currentText(), QString("My own"));
  QCOMPARE(form.preprocessing()->size->height, 300);
  side->setValue(before);
  QCOMPARE(choice->currentIndex(), 1);
}

void PreprocessingFormTest::wrongNumbers_data() {
  QTest::addColumn<QString>("field");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("problem");
  QTest::newRow("no scale") << "Scale"
                            << ""
                            << "Scale takes one number";
  QTest::newRow("word") << "Scale"
                        << "x"
                        << "Scale takes one number";
  QTest::newRow("by zero") << "Scale"
                           << "1/0"
                           << "Scale takes one number";
  QTest::newRow("mean") << "Mean"
                        << "1; two"
                        << "Mean takes numbers";
  QTest::newRow("two means") << "Mean"
                             << "1 2"
                             << "one for each of the 3";
  QTest::newRow("std") << "Std"
                       << "0.1 0 0.1"
                       << "above 0";
}

void PreprocessingFormTest::wrongNumbers() {
  QFETCH(QString, field);
  QFETCH(QString, text);
  QFETCH(QString, problem);
  PreprocessingForm form(presetsOf("float[N,3,224,224]"));
  auto* edit = named<QLineEdit>(form, qPrintable(field));
  edit->selectAll();
  QTest::keyClick(edit, Qt::Key_Delete);
  QTest::keyClicks(edit, text);
  QVERIFY(!form.preprocessing());
  QVERIFY2(form.problem().contains(problem), qPrintable(form.problem()));
}

void PreprocessingFormTest::savedAndLoaded() {
  const QTemporaryDir folder;
  const QString file = folder.filePath("prepare.json");
  PreprocessingForm form(presetsOf("float[N,3,224,224]"));
  form.save(file);
  QVERIFY(readPreprocessing(file.toStdString()) == form.preprocessing());
  PreprocessingForm other(presetsOf("float[N,1,28,28]"));
  other.load(file);
  QVERIFY(other.preprocessing() == form.preprocessing());
  // A file that is none leaves the form as it was.
  writeFile(folder, "prepare.json", R"({"colour":"rgb"})");
  other.load(file);
  QVERIFY(other.preprocessing() == form.preprocessing());
}

void PreprocessingFormTest::numbers_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QList<double>>("numbers");
  QTest::addColumn<QString>("written");
  QTest::newRow("none") << " " << QList<double>{} << "";
  QTest::newRow("commas") << "0.5, 0.25,1" << QList<double>{0.5, 0.25, 1} << "0.5, 0.25, 1";
  QTest::newRow("spaces") << " 104  117 123 " << QList<double>{104, 117, 123} << "104, 117, 123";
  QTest::newRow("fraction") << "1/255" << QList<double>{1.0 / 255} << "1/255";
  QTest::newRow("127.5") << "1/127.5" << QList<double>{1 / 127.5} << "1/127.5";
  QTest::newRow("minus sign") << "−1e-3" << QList<double>{-1e-3} << "-0.001";
}

void PreprocessingFormTest::numbers() {
  QFETCH(QString, text);
  QFETCH(QList<double>, numbers);
  QFETCH(QString, written);
  const auto parsed = parseNumbers(text);
  QVERIFY(parsed.has_value());
  QCOMPARE(QList<double>(parsed->begin(), parsed->end()), numbers);
  QCOMPARE(numbersText(*parsed), written);
  QVERIFY(parseNumbers(written) == parsed);
}

QUANTSCOPE_TEST(PreprocessingFormTest)
#include "test_preprocessing_form.moc"
