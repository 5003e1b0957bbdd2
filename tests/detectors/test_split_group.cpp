#include <QtTest>
#include <algorithm>

#include "detectors/changes/apply_changes.h"
#include "detectors/changes/split_group.h"
#include "detectors/detector_case.h"
#include "precision/backend/backend.h"
#include "precision/sharing/observer_groups.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr const char* kLayers = R"(
  input x:float[1,2,8,8]
  w:float[2,2,1,1]{60, 45, 50, -70}
  v:float[2,2,1,1]{4.5, -3.5, 5, 4}
  u:float[2,2,1,1]{0.9, 0.7, -1, 0.8}
  a = Conv(x, w) @wide
  b = Conv(x, v) @narrow
)";

std::vector<Tensor> samplesOfWaves() {
  std::vector<Tensor> samples;
  for (int s = 0; s < 3; ++s) {
    samples.push_back(filled({1, 2, 8, 8}, [&](std::size_t i) {
      return 2.0 * static_cast<double>((i * 37 + static_cast<std::size_t>(s) * 11) % 101) / 100 - 1;
    }));
  }
  return samples;
}

}  // namespace

/// Values on a grid that others set are told to leave it, where the backend lets them.
class SplitGroupTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void splits_data();
  void splits();
  void allPointsOfTheValueLeaveAList();
};

void SplitGroupTest::splits_data() {
  QTest::addColumn<QByteArray>("more");
  QTest::addColumn<QByteArray>("config");
  QTest::addColumn<QString>("node");
  QTest::addColumn<QString>("text");
  const QByteArray plain = R"("backend": "x86")";
  QTest::newRow("an edge into a joint")
      << QByteArray("y = Concat(a, b) axis=1 @join\nz = Conv(b, u) @reader\noutput y\noutput z\n")
      << plain << "narrow"
      << "Split off the edge from 'narrow' to 'join'";
  QTest::newRow("nobody else reads it")
      << QByteArray("y = Concat(a, b) axis=1 @join\noutput y\n") << plain << "narrow"
      << "";
  // With so few codes, a third of them is not hardly any.
  QTest::newRow("merged by hand")
      << QByteArray(
             "q:float[2,2,1,1]{20, -15, 17, 14}\nc = Conv(x, q) @third\noutput a\noutput c\n")
      << QByteArray(R"("backend": "generic", "default": {"output": {"type": "uint4"}},
                       "groups": {"join": [["wide", "third"]]})")
      << "third"
      << "No longer merge the output of 'third'";
}

void SplitGroupTest::splits() {
  QFETCH(const QByteArray, more);
  QFETCH(const QByteArray, config);
  QFETCH(const QString, node);
  QFETCH(const QString, text);
  const std::string layers = kLayers + more.toStdString();
  const DetectorCase with(layers.c_str(), samplesOfWaves(),
                          R"({"quantscope": 1, )" + config.toStdString() + "}");
  const std::vector<Finding> findings = with.findings("shared_grid");
  const auto finding = std::ranges::find(findings, node.toStdString(), &Finding::nodeName);
  QVERIFY(finding != findings.end());
  QVERIFY(finding->suggestion && !finding->suggestion->changes.empty());
  const Suggestion& suggestion = *finding->suggestion;
  const ConfigChange& change = suggestion.changes.front();
  const bool splits = !change.split.empty() || !change.unmerge.empty();
  QCOMPARE(splits, !text.isEmpty());
  if (!splits) return;
  QVERIFY2(QString::fromStdString(suggestion.text).startsWith(text), suggestion.text.c_str());
  QVERIFY2(suggestion.gainDb.value_or(0) > 3, qPrintable(QString::number(*suggestion.gainDb)));
  QVERIFY(suggestion.bytes.value_or(0) < 100);  // scales at most
  // As any other edit it leads back.
  const ConfigEdit edit = editOf(with.config, *with.graph, suggestion.changes, suggestion.text);
  const Configuration changed = edit.apply(with.config);
  QVERIFY(changed != with.config);
  QVERIFY(edit.inverse(with.config).apply(changed) == with.config);
}

// The value stands in the list with its output and with an edge, which share by themselves.
void SplitGroupTest::allPointsOfTheValueLeaveAList() {
  const std::string layers = std::string(kLayers) + "z = Conv(b, u) @reader\noutput a\noutput z\n";
  const DetectorCase with(layers.c_str(), samplesOfWaves(),
                          R"({"quantscope": 1, "backend": "generic",
                              "groups": {"join": [["narrow", ["narrow", "reader"], "wide"]]}})");
  const ResolvedConfig resolved(*with.graph, *with.config.precision);
  const std::shared_ptr<const Backend> backend = findBackend(with.config.precision->backend);
  const ModelIndex index(*with.graph, with.model);
  const JudgedLayers judged(*with.engine, with.model, with.mode);
  const DetectorInput input{*with.engine, with.config, resolved, *backend,    with.observations,
                            with.model,   index,       judged,   with.result, with.mode};
  const auto pointOf = [&](const ObserverGroups& groups, const char* node) {
    const PointName name{node, {}};
    return std::ranges::find_if(groups.points, [&](const QuantizationPoint& point) {
      return pointName(*with.graph, point) == name;
    });
  };
  const auto point = pointOf(with.model.groups, "narrow");
  QVERIFY(point != with.model.groups.points.end());
  QVERIFY(point->group == pointOf(with.model.groups, "wide")->group);
  const std::optional<Suggestion> suggestion = splitGroup(input, *point, "it");
  QVERIFY(suggestion && suggestion->changes.size() == 1);
  QCOMPARE(suggestion->changes.front().unmerge.size(), std::size_t{2});
  const Configuration changed =
      editOf(with.config, *with.graph, suggestion->changes, suggestion->text).apply(with.config);
  const ResolvedConfig after(*with.graph, *changed.precision);
  const ObserverGroups groups = findObserverGroups({*with.engine, *backend, after});
  QVERIFY(pointOf(groups, "narrow")->group != pointOf(groups, "wide")->group);
}

QUANTSCOPE_TEST(SplitGroupTest)
#include "test_split_group.moc"
