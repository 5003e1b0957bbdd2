#include <QUndoView>
#include <QtTest>
#include <random>

#include "app/gui/comparison.h"
#include "app/gui/controllers/causes_controller.h"
#include "support/test_main.h"
#include "ui/project_window.h"
#include "ui/window_words.h"
#include "widgets/configuration/override_list.h"
#include "widgets/view/layer_index.h"

using namespace quantscope;
using namespace quantscope::test;

/// After whatever was done in a window, it shows what a cold start of its project shows.
class RandomActionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aColdStartShowsTheSame();
};

namespace {

constexpr std::size_t kSamples = 3;

// They are measured while nobody works.
void waitForCauses(const Workbench& bench) {
  Session& session = bench->session();
  if (!session.snapshot() || session.snapshot()->stage != AnalysisSnapshot::Stage::Complete) return;
  const auto* controller = bench->findChild<CausesController*>();
  QTRY_VERIFY_WITH_TIMEOUT(controller->causes() && controller->causes()->ladder, 60'000);
  const Selected& selected = session.selection().current();
  const auto layer = LayerIndex(*session.snapshot()->result).find(selected.node);
  if (!layer || selected.several() || !session.snapshot()->result->layers[*layer].local) return;
  QTRY_VERIFY_WITH_TIMEOUT(controller->causes()->budgets.contains(*layer), 60'000);
}

/// Somebody who does everything in no order.
class Hands {
 public:
  Hands(Workbench& bench, const QTemporaryDir& folder, unsigned seed)
      : m_bench(bench), m_folder(folder), m_random(seed) {}

  void act() {
    switch (below(19)) {
      case 0:
      case 1:
      case 2:
        session().precision().setTypeAt(below(4));
        break;
      case 3:
        session().precision().reset();
        break;
      case 4:
        press(ActionId::Undo);
        break;
      case 5:
        press(ActionId::Redo);
        break;
      case 6:
        select();
        break;
      case 7:
        m_bench->tabs().setCurrentIndex(anyOf(m_bench->tabs().count()));
        break;
      case 8:
        dismiss();
        break;
      case 9:
        press(below(2) == 0 ? ActionId::KeepConfiguration : ActionId::SwapConfigurations);
        break;
      case 10:
        press(below(2) == 0 ? ActionId::KindLocal : ActionId::KindAccumulated);
        break;
      case 11:
        press(ActionId::Cancel);
        break;
      case 12:
        goInHistory();
        break;
      case 13:
        chooseData();
        break;
      case 14:
        press(ActionId::CopyPrecision);
        select();
        press(ActionId::PastePrecision);
        break;
      case 15:
        setRange();
        break;
      case 16:
        setRule();
        break;
      case 17:
        removeOverride();
        break;
      default:
        saveOrOpen();
        break;
    }
    if (below(3) == 0) QTest::qWait(static_cast<int>(below(40)));
    if (below(10) == 0) m_bench.waitForEnd();
  }

  /// Lets the analysis of what there is now come to its end.
  void rest() {
    m_bench.waitForGains();
    press(ActionId::Run);
    m_bench.waitForGains();
    m_bench->comparison().choose({});
    waitForCauses(m_bench);
  }

  const QString& file() const { return m_file; }
  void save() {
    m_file = m_folder.filePath(QStringLiteral("work%1.quantscope").arg(++m_saved));
    saveAs(m_bench, m_file);
  }

 private:
  Session& session() const { return m_bench->session(); }
  std::size_t below(std::size_t limit) { return m_random() % limit; }
  int anyOf(int count) { return static_cast<int>(below(static_cast<std::size_t>(count))); }
  void press(ActionId id) const { m_bench.action(id)->trigger(); }

  void select() {
    if (!session().snapshot()) return;
    const auto& layers = session().snapshot()->result->layers;
    session().selection().selectNode(layers[below(layers.size())].node);
    if (below(4) == 0) session().selection().toggleNode(layers[below(layers.size())].node);
  }

  // Made up, or the bundled samples again.
  void chooseData() {
    const QString choices[] = {QStringLiteral("random:3"), QStringLiteral("random:5"),
                               samplePath("digits_mobilenet.npz")};
    m_bench.dialogs->data = choices[below(std::size(choices))];
    press(ActionId::ChooseData);
  }

  // As typed into the inspector's fields.
  void setRange() {
    PrecisionFields fields;
    const auto high = static_cast<float>(1 + below(8));
    fields.output.range = Range{-high / 2, high, false};
    session().precision().setFields(fields, QStringLiteral("set the output range of"));
  }

  void setRule() {
    if (!session().snapshot()) return;
    const auto& layers = session().snapshot()->result->layers;
    const PrecisionTarget every{PrecisionTarget::Kind::OpType, {layers[below(layers.size())].op}};
    session().precision().setTypeOf(every, below(2) == 0 ? QuantType::Float32 : QuantType::Int8);
  }

  // As a click on ✕ in the list.
  void removeOverride() {
    auto& list = *m_bench->findChild<OverrideList*>();
    const std::vector<ConfigEdit> removals = list.removals();
    if (!removals.empty()) Q_EMIT list.edited(removals[below(removals.size())]);
  }

  void dismiss() {
    if (!session().snapshot() || !session().snapshot()->detected) return;
    const auto& findings = session().snapshot()->detected->findings;
    if (findings.empty()) return;
    session().setDismissed(findings[below(findings.size())].id, below(3) > 0);
  }

  void goInHistory() {
    QUndoStack& stack = session().undoStack();
    stack.setIndex(static_cast<int>(below(static_cast<std::size_t>(stack.count()) + 1)));
  }

  void saveOrOpen() {
    if (m_file.isEmpty() || below(3) == 0) return save();
    press(ActionId::SaveProject);
    if (below(2) > 0) return;
    press(ActionId::CloseModel);
    openProject(m_bench, m_file);
  }

  Workbench& m_bench;
  const QTemporaryDir& m_folder;
  std::mt19937 m_random;
  QString m_file;
  int m_saved = 0;
};

// The first lines that differ.
QByteArray difference(const QString& shown, const QString& cold) {
  const QStringList a = shown.split(u'\n');
  const QStringList b = cold.split(u'\n');
  for (qsizetype i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    const QString before = i > 0 ? a[i - 1] : QString();
    return (a[i] + QStringLiteral("\n instead of \n") + b[i] + QStringLiteral("\n after \n") +
            before)
        .toUtf8();
  }
  return "one of them ends";
}

}  // namespace

void RandomActionsTest::aColdStartShowsTheSame() {
  const int actions = qEnvironmentVariableIntValue("QUANTSCOPE_RANDOM_ACTIONS");
  constexpr int kPart = 40;
  const QTemporaryDir folder;
  QString project;
  const int seed = qEnvironmentVariableIntValue("QUANTSCOPE_RANDOM_SEED");
  std::mt19937 random(static_cast<unsigned>(11 + seed));
  // A new window for each part, which goes on from the project of the one before.
  for (int done = 0; done < std::max(actions, kPart); done += kPart) {
    QString shown;
    {
      Workbench bench("digits_mobilenet", kSamples);
      if (!project.isEmpty()) openProject(bench, project);
      Hands hands(bench, folder, static_cast<unsigned>(random()));
      for (int i = 0; i < kPart; ++i) hands.act();
      hands.rest();
      hands.save();
      project = hands.file();
      shown = wordsOf(bench);
    }
    Workbench cold("digits_mobilenet", kSamples);
    openProject(cold, project);
    cold.waitForGains();
    waitForCauses(cold);
    const QString words = wordsOf(cold);
    QVERIFY2(words == shown, difference(words, shown));
    QVERIFY(!cold->session().stale());
  }
}

QUANTSCOPE_TEST(RandomActionsTest)
#include "test_random_actions.moc"
