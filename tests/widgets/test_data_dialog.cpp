#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSemaphore>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QtTest>

#include "support/graph_text.h"
#include "support/npy_bytes.h"
#include "support/png_bytes.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "support/zip_bytes.h"
#include "widgets/data/data_dialog.h"
#include "widgets/data/data_preview.h"
#include "widgets/named_widget.h"

using namespace quantscope;
using namespace quantscope::test;

class DataDialogTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void everySource_data();
  void everySource();
  void whatDoesNotFit_data();
  void whatDoesNotFit();
  void bundledSample();
  void requestComesBack();
  void slowDataStopsNothing();
  void newestChoiceWins();
  void fewerSamplesNeedNoCheck();
  void brokenImageFurtherOn();
  void presetChangesTheRequest();
  void labelsGoWithTheirSamples();
  void droppedFiles();
  void theUpperHalfIsNotEmpty();

 private:
  std::string path(const char* name) const { return m_folder->filePath(name).toStdString(); }
  AnalysisRequest request(const QString& data) const;
  std::unique_ptr<DataDialog> open(const AnalysisRequest& start) const;

  std::unique_ptr<QTemporaryDir> m_folder;
  LoadedModel m_model;
};

namespace {

std::string floats(const std::string& shape, std::size_t count) {
  return npyBytes(npyDictionary("<f4", shape), std::string(4 * count, '\0'));
}

std::string gray(char code) {
  return pngBytes({.width = 2, .height = 2, .colorType = 0, .rows = std::string(4, code)});
}

// TensorProto [1, 1, 2, 2]: dims = 1, data_type = 2 (float), raw_data = 9.
std::string floatTensor() {
  return std::string("\x08\x01\x08\x01\x08\x02\x08\x02\x10\x01\x4A\x10", 12) +
         std::string(16, '\0');
}

QPushButton* accept(const DataDialog& dialog) {
  return dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
}

QString status(const DataDialog& dialog) {
  return dialog.findChild<QLabel*>("status")->text();
}

bool showsText(const DataDialog& dialog, const QString& part) {
  for (const QLabel* label : dialog.findChildren<QLabel*>()) {
    if (label->text().contains(part)) return true;
  }
  return false;
}

void drop(DataDialog& dialog, const QString& file) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  // An application passes drops on only after a drag came in.
  static_cast<QObject&>(dialog).event(&event);
}

}  // namespace

void DataDialogTest::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_model.file = "model.onnx";
  m_model.graph = graphFromText("input x:float[N,1,2,2]\ny = Neg(x)");
  writeFile(*m_folder, "a.npz",
            zipBytes({{.name = "x.npy", .content = floats("(3, 1, 2, 2)", 12)}}));
  writeFile(*m_folder, "a.npy", floats("(3, 1, 2, 2)", 12));
  writeFile(*m_folder, "a.labels.npy",
            npyBytes(npyDictionary("|u1", "(2,)"), std::string("\x04\x07")));
  writeFile(*m_folder, "images/a.png", gray('a'));
  writeFile(*m_folder, "images/b.png", gray('b'));
  writeFile(*m_folder, "sets/test_data_set_0/input_0.pb", floatTensor());
}

AnalysisRequest DataDialogTest::request(const QString& data) const {
  AnalysisRequest request;
  request.model = m_model.file;
  const bool random = data.startsWith(QStringLiteral("random:"));
  request.data = random || data.isEmpty() ? data.toStdString() : path(qPrintable(data));
  return request;
}

std::unique_ptr<DataDialog> DataDialogTest::open(const AnalysisRequest& start) const {
  auto dialog = std::make_unique<DataDialog>(m_model, start);
  dialog->show();
  return dialog;
}

void DataDialogTest::everySource_data() {
  QTest::addColumn<QString>("data");
  QTest::addColumn<QString>("samples");
  QTest::newRow("npz") << "a.npz"
                       << "All 3 samples";
  QTest::newRow("npy") << "a.npy"
                       << "All 3 samples";
  QTest::newRow("test data") << "sets"
                             << "1 sample will";
  QTest::newRow("images") << "images"
                          << "All 2 samples";
  QTest::newRow("random") << "random:5"
                          << "All 5 samples";
}

void DataDialogTest::everySource() {
  QFETCH(QString, data);
  QFETCH(QString, samples);
  const AnalysisRequest start = request(data);
  const auto dialog = open(start);
  QTRY_VERIFY(accept(*dialog)->isEnabled());
  QVERIFY2(status(*dialog).contains(samples), qPrintable(status(*dialog)));
  QCOMPARE(dialog->request().data, start.data);
  QCOMPARE(dialog->request().source.preprocessing.has_value(), data == "images");
}

void DataDialogTest::whatDoesNotFit_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("sentence");
  const auto row = [](const char* test, const char* name, const std::string& bytes,
                      const char* sentence) {
    QTest::newRow(test) << QString(name) << QByteArray::fromStdString(bytes) << QString(sentence);
  };
  row("other name", "b.npz", zipBytes({{.name = "z.npy", .content = floats("(3, 1, 2, 2)", 12)}}),
      "There is no array for an input");
  row("shape", "b.npz", zipBytes({{.name = "x.npy", .content = floats("(3, 1, 2, 3)", 18)}}),
      "of shape [3, 1, 2, 3] does not fit");
  row("type", "b.npy", npyBytes(npyDictionary("|u1", "(3, 1, 2, 2)"), std::string(12, '\0')),
      "uint8 elements where the model's input takes float32");
  row("no numbers", "b.npy", floats("(0, 1, 2, 2)", 0), "no samples");
  row("kind", "b.csv", "1,2", "kind of data is not known");
  row("broken image", "pictures/a.png", "no picture", "a.png");
}

void DataDialogTest::whatDoesNotFit() {
  QFETCH(QString, name);
  QFETCH(QByteArray, bytes);
  QFETCH(QString, sentence);
  writeFile(*m_folder, name, bytes.toStdString());
  const auto dialog = open(request(name.section('/', 0, 0)));
  QTRY_VERIFY2(showsText(*dialog, sentence), qPrintable(status(*dialog)));
  QVERIFY(!accept(*dialog)->isEnabled());
}

void DataDialogTest::bundledSample() {
  const AnalysisRequest start = sampleRequest("digits_mobilenet", 8);
  DataDialog dialog(sampleSnapshot()->model, start);
  dialog.show();
  QTRY_VERIFY(accept(dialog)->isEnabled());
  QVERIFY(status(dialog).contains("The first 8 of 400 samples"));
  QVERIFY(showsText(dialog, "label 7"));
  QVERIFY(sameData(dialog.request(), start));
}

void DataDialogTest::requestComesBack() {
  AnalysisRequest start = request("images");
  start.labels = path("a.labels.npy");
  start.calibration = "random:4";
  start.source.samples = 1;
  start.source.seed = 77;
  start.source.preprocessing = parsePreprocessing(R"({"color":"gray","scale":0.5,"mean":[3]})");
  start.batch = 3;
  start.config.precision.edit([](PrecisionConfig& config) { config.backend = "fbgemm"; });
  const auto dialog = open(start);
  QTRY_VERIFY(accept(*dialog)->isEnabled());
  const AnalysisRequest back = dialog->request();
  QVERIFY(sameData(back, start));
  QCOMPARE(back.source.seed, start.source.seed);
  QCOMPARE(back.config.precision->backend, start.config.precision->backend);
  QVERIFY(back.source.preprocessing == start.source.preprocessing);
}

void DataDialogTest::slowDataStopsNothing() {
  const auto gate = std::make_shared<QSemaphore>();
  const auto slow = [gate](const std::string& data, const Graph& graph,
                           const SourceOptions& options) {
    gate->acquire();
    return openSamples(data, graph, options);
  };
  DataDialog dialog(m_model, request("a.npz"), nullptr, slow);
  dialog.show();
  bool spun = false;
  QTimer::singleShot(0, &dialog, [&] { spun = true; });
  QTRY_VERIFY(spun);
  QVERIFY(!accept(dialog)->isEnabled());
  QCOMPARE(status(dialog), QString("Checking…"));
  gate->release();
  QTRY_VERIFY(accept(dialog)->isEnabled());
}

void DataDialogTest::newestChoiceWins() {
  const auto gate = std::make_shared<QSemaphore>();
  const auto slowAtFirst = [gate](const std::string& data, const Graph& graph,
                                  const SourceOptions& options) {
    if (data.ends_with(".npz")) gate->acquire();
    return openSamples(data, graph, options);
  };
  DataDialog dialog(m_model, request("a.npz"), nullptr, slowAtFirst);
  named<QComboBox>(dialog, "Samples")->setEditText("random:6");
  QTRY_VERIFY(status(dialog).contains("All 6 samples"));
  gate->release();
  QTest::qWait(50);
  QVERIFY(status(dialog).contains("All 6 samples"));
  QCOMPARE(dialog.request().data, std::string("random:6"));
}

void DataDialogTest::fewerSamplesNeedNoCheck() {
  const auto opened = std::make_shared<std::atomic<int>>(0);
  DataDialog dialog(
      m_model, request("a.npz"), nullptr,
      [opened](const std::string& data, const Graph& graph, const SourceOptions& options) {
        ++*opened;
        return openSamples(data, graph, options);
      });
  QTRY_VERIFY(accept(dialog)->isEnabled());
  named<QSpinBox>(dialog, "Number of samples")->setValue(2);
  QVERIFY(accept(dialog)->isEnabled());
  QVERIFY(status(dialog).contains("The first 2 of 3"));
  QCOMPARE(dialog.request().source.samples, std::optional<std::size_t>(2));
  QCOMPARE(opened->load(), 1);
  // Of random samples the number is part of what they are.
  named<QComboBox>(dialog, "Samples")->setEditText("random:6");
  named<QSpinBox>(dialog, "Number of samples")->setValue(7);
  QCOMPARE(dialog.request().data, std::string("random:7"));
  QVERIFY(!dialog.request().source.samples);
}

void DataDialogTest::brokenImageFurtherOn() {
  writeFile(*m_folder, "images/c.png", "no picture");
  const auto dialog = open(request("images"));
  QTRY_VERIFY2(status(*dialog).contains("c.png"), qPrintable(status(*dialog)));
  QVERIFY(!accept(*dialog)->isEnabled());
  // Mended by choosing other data.
  named<QComboBox>(*dialog, "Samples")->setEditText("random:2");
  QTRY_VERIFY(accept(*dialog)->isEnabled());
}

void DataDialogTest::presetChangesTheRequest() {
  const auto dialog = open(request("images"));
  QTRY_VERIFY(accept(*dialog)->isEnabled());
  QVERIFY(dialog->request().source.preprocessing->color == Preprocessing::Color::Gray);
  auto* scale = named<QLineEdit>(*dialog, "Scale");
  QVERIFY(scale->isVisible());
  scale->clear();
  QTest::keyClicks(scale, "oops");
  QVERIFY(!accept(*dialog)->isEnabled());
  QVERIFY(status(*dialog).contains("Scale takes one number"));
  scale->clear();
  QTest::keyClicks(scale, "1/2");
  QTRY_VERIFY(accept(*dialog)->isEnabled());
  QCOMPARE(dialog->request().source.preprocessing->scale, 0.5);
}

void DataDialogTest::labelsGoWithTheirSamples() {
  const auto dialog = open(request(""));
  auto* samples = named<QComboBox>(*dialog, "Samples");
  auto* labels = named<QLineEdit>(*dialog, "Labels");
  samples->setEditText(m_folder->filePath("a.npz"));
  QCOMPARE(labels->text(), m_folder->filePath("a.labels.npy"));
  samples->setEditText("random:3");
  QCOMPARE(labels->text(), QString());
  // Chosen by hand they stay.
  labels->setText("mine.npy");
  samples->setEditText(m_folder->filePath("a.npz"));
  QCOMPARE(labels->text(), QString("mine.npy"));
}

void DataDialogTest::droppedFiles() {
  const auto dialog = open(request(""));
  QVERIFY(!accept(*dialog)->isEnabled());
  QVERIFY(status(*dialog).contains("Choose samples"));
  drop(*dialog, m_folder->filePath("a.labels.npy"));
  drop(*dialog, m_folder->filePath("a.npz"));
  QTRY_VERIFY2(accept(*dialog)->isEnabled(), qPrintable(status(*dialog)));
  QCOMPARE(dialog->request().data, path("a.npz"));
  QCOMPARE(dialog->request().labels.string(), path("a.labels.npy"));
  QVERIFY(status(*dialog).contains("2 of them have a label"));
}

// One input takes one row; the samples begin right below it.
void DataDialogTest::theUpperHalfIsNotEmpty() {
  const auto dialog = open(request(QStringLiteral("a.npz")));
  QTRY_VERIFY(accept(*dialog)->isEnabled());
  QCoreApplication::processEvents();
  const auto& preview = *dialog->findChild<DataPreview*>();
  const int top = preview.mapTo(dialog.get(), QPoint()).y();
  QVERIFY2(top < dialog->height() / 4, qPrintable(QString::number(top)));
  QVERIFY(preview.height() > dialog->height() / 2);
}

QUANTSCOPE_TEST(DataDialogTest)
#include "test_data_dialog.moc"
