#include <QProcess>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/workers.h"
#include "export/report/headline.h"
#include "jobs/analysis/against_original.h"
#include "jobs/request_labels.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "widgets/look/text.h"
#include "widgets/shell/headline_bar.h"

using namespace quantscope;
using namespace quantscope::test;
using nlohmann::json;

/// The window and the command line show the same figures for a configuration, digit by digit.
class SameFiguresTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCommandLineSaysTheSame();
  void theHeadlineNamesTheOriginal();
};

namespace {

json reportOf(const AnalysisRequest& request, const QTemporaryDir& folder) {
  const QString config = folder.filePath(QStringLiteral("config.json"));
  QFile file(config);
  if (!file.open(QFile::WriteOnly)) return {};
  file.write(QByteArray::fromStdString(toJson(request.config)));
  file.close();
  QProcess cli;
  cli.start(QUANTSCOPE_CLI,
            {QStringLiteral("analyze"), text(request.model.string()), QStringLiteral("--data"),
             text(request.data), QStringLiteral("--labels"), text(request.labels.string()),
             QStringLiteral("--samples"), QString::number(*request.source.samples),
             QStringLiteral("--config"), config, QStringLiteral("--out"),
             folder.filePath(QStringLiteral("out"))});
  cli.waitForFinished(120000);
  QFile report(folder.filePath(QStringLiteral("out/report.json")));
  if (!report.open(QFile::ReadOnly)) return {};
  return json::parse(report.readAll().toStdString());
}

std::optional<double> numberIn(const json& place) {
  return place.is_number() ? std::optional(place.get<double>()) : std::nullopt;
}

bool same(const std::optional<double>& shown, const json& told) {
  // Infinities are no numbers of JSON.
  if (!shown || std::isinf(*shown)) return !told.is_number();
  return numberIn(told) == shown;
}

QString headlineValue(const Workbench& bench, const QString& caption) {
  for (const HeadlineItem& item : bench->headline().items()) {
    if (item.caption == caption) return item.value;
  }
  return {};
}

}  // namespace

void SameFiguresTest::theCommandLineSaysTheSame() {
  const QTemporaryDir folder;
  const Workbench bench("digits_mobilenet", 6);
  // By several ways: edits, a step back, a project closed and opened.
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  bench->session().selection().selectNode(bench.layer(4).node);
  bench->session().precision().setType(QuantType::Int16);
  setToFloat(bench, bench.layer(bench.worstLayer()).node);
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  const QString project = folder.filePath(QStringLiteral("work.quantscope"));
  saveAs(bench, project);
  bench.action(ActionId::CloseModel)->trigger();
  openProject(bench, project);
  QVERIFY(!bench->session().stale());
  const AnalysisResult& shown = *bench->session().snapshot()->result;
  const json report = reportOf(bench->session().request(), folder);
  QVERIFY(!report.is_null());
  QCOMPARE(report.at("outputs").size(), shown.outputs.size());
  for (std::size_t i = 0; i < shown.outputs.size(); ++i) {
    QVERIFY(same(shown.outputs[i].error.sqnrDb, report["outputs"][i]["sqnr_db"]));
    QVERIFY(same(shown.outputs[i].error.mse, report["outputs"][i]["mse"]));
  }
  QCOMPARE(headlineValue(bench, QStringLiteral("output SQNR")),
           QString::number(report["outputs"][0]["sqnr_db"].get<double>(), 'f', 1) +
               QStringLiteral(" dB"));
  std::size_t compared = 0;
  for (const json& node : report.at("nodes")) {
    const NodeId id =
        bench->session().snapshot()->graph().findNode(node.at("node").get<std::string>());
    const auto index = LayerIndex(shown).find(id);
    if (!index || !shown.layers[*index].local) continue;
    const LayerResult& layer = shown.layers[*index];
    QVERIFY2(same(layer.local->total.sqnrDb, node.at("local").at("sqnr_db")), layer.name.c_str());
    QVERIFY2(same(layer.accumulated->total.sqnrDb, node.at("accumulated").at("sqnr_db")),
             layer.name.c_str());
    ++compared;
  }
  QVERIFY(compared > 10);
}

// Of a repaired model, whose outputs are measured against another one.
void SameFiguresTest::theHeadlineNamesTheOriginal() {
  const SnapshotPtr shown = sampleSnapshot();
  const Workers workers(1);
  JobContext job(workers);
  const SnapshotPtr compared = againstOriginal(*shown, shown->model, labelsOf(shown->request), job);
  const HeadlineFigure alone = headlineFigures(*shown->result, {}).front();
  QVERIFY(alone.sqnrDb);
  QVERIFY2(alone.note.find("against") == std::string::npos, alone.note.c_str());
  const HeadlineFigure figure = headlineFigures(*compared->result, {}, compared->original).front();
  QCOMPARE(std::string(figure.title), std::string(alone.title));
  QVERIFY2(figure.note.ends_with(", against digits_mobilenet.onnx"), figure.note.c_str());
  QVERIFY2(figure.definition.find("float model digits_mobilenet.onnx") != std::string::npos,
           figure.definition.c_str());
}

QUANTSCOPE_TEST(SameFiguresTest)
#include "test_same_figures.moc"
