#include "bench/ui/edit_times.h"

#include <QAction>

#include "bench/ui/wait.h"
#include "widgets/inspector/inspector_view.h"

namespace quantscope::bench {
namespace {

using Edited = AnalysisSnapshot::Edited;

constexpr std::size_t kEdits = 7;

class Editing {
 public:
  explicit Editing(MainWindow& window)
      : m_window(window),
        m_session(window.session()),
        m_inspector(*window.findChild<InspectorView*>()) {}

  EditTimes measure() {
    waitForAnalysis(m_window);
    for (const NodeId node : layersToEdit()) edit(node);
    EditTimes times{.ownError = summarize(m_own).median,
                    .ownErrorInAll = summarize(m_ownInAll).median,
                    .firstOutputs = summarize(m_first).median,
                    .all = summarize(m_all).median,
                    .longestFrame = m_longest};
    times.undo = summarize(m_undo).median;
    times.swap = summarize(m_swap).median;
    return times;
  }

 private:
  // From the first to the last one that can be set.
  std::vector<NodeId> layersToEdit() const {
    std::vector<NodeId> quantized;
    for (const LayerResult& layer : m_session.snapshot()->result->layers) {
      if (layer.quantized && layer.local) quantized.push_back(layer.node);
    }
    std::vector<NodeId> chosen;
    for (std::size_t i = 0; i < kEdits && !quantized.empty(); ++i) {
      chosen.push_back(quantized[i * (quantized.size() - 1) / (kEdits - 1)]);
    }
    return chosen;
  }

  bool reached(Edited stage) const {
    return m_window.turns().settled() && has(m_session.snapshot(), stage);
  }

  // Later stages count too: what is there at once is not shown in steps.
  bool has(const SnapshotPtr& snapshot, Edited stage) const {
    if (!snapshot || m_session.stale()) return false;
    const auto rank = [](Edited edited) {
      return edited == Edited::OwnErrors ? 0 : edited == Edited::FirstOutputs ? 1 : 2;
    };
    const bool complete = snapshot->stage == AnalysisSnapshot::Stage::Complete;
    return rank(snapshot->edited) >= rank(stage) && (complete || stage != Edited::All);
  }

  double timeOf(const QElapsedTimer& timer, Edited stage) {
    m_longest = std::max(m_longest, waitUntil([&] { return reached(stage); }, "an edit"));
    QApplication::processEvents();
    return millisecondsOf(timer);
  }

  // Until the inspector was painted with it.
  double timeOfOwnError(const QElapsedTimer& timer) {
    bool painted = false;
    const auto look = [&] { painted = painted || has(m_inspector.snapshot(), Edited::OwnErrors); };
    const QMetaObject::Connection looking =
        QObject::connect(&MeasuredApplication::instance(), &MeasuredApplication::painted, look);
    m_longest = std::max(m_longest, waitUntil([&] { return painted; }, "an edit"));
    QObject::disconnect(looking);
    return millisecondsOf(timer);
  }

  void edit(NodeId node) {
    m_session.selection().selectNode(node);
    rest();
    QElapsedTimer timer;
    timer.start();
    m_session.precision().setType(QuantType::Float32);
    m_longest = std::max(m_longest, millisecondsOf(timer));
    m_own.push_back(timeOfOwnError(timer));
    m_ownInAll.push_back(timeOf(timer, Edited::OwnErrors));
    m_first.push_back(timeOf(timer, Edited::FirstOutputs));
    m_all.push_back(timeOf(timer, Edited::All));
    rest();
    for (const ActionId id : {ActionId::Undo, ActionId::Redo}) m_undo.push_back(press(id));
    m_swap.push_back(press(ActionId::SwapConfigurations));
    press(ActionId::Undo);
    press(ActionId::Undo);
  }

  double press(ActionId id) {
    QElapsedTimer timer;
    timer.start();
    m_window.actions().at(id)->trigger();
    const double time = timeOf(timer, Edited::All);
    rest();
    return time;
  }

  // A user looks before going on; what runs idly has begun by then.
  static void rest() {
    constexpr int kLookMs = 300;
    letWork(kLookMs);
  }

  MainWindow& m_window;
  Session& m_session;
  InspectorView& m_inspector;
  std::vector<double> m_own, m_ownInAll, m_first, m_all, m_undo, m_swap;
  double m_longest = 0;
};

}  // namespace

EditTimes measureEdits(MainWindow& window) {
  return Editing(window).measure();
}

}  // namespace quantscope::bench
