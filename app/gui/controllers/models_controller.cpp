#include "models_controller.h"

#include <QFileInfo>
#include <utility>

#include "app/gui/window/error_message.h"
#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "export/output_text.h"
#include "jobs/request_labels.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString nameOf(const std::filesystem::path& path) {
  return text((path.has_filename() ? path.filename() : path.parent_path().filename()).string());
}

// "model.onnx beside model_int8.onnx · 24 samples · output SQNR 21.3 dB · …"
QString headline(const ComparedFiles& files) {
  const ModelComparison& comparison = files.comparison;
  QStringList parts{
      ModelsController::tr("%1 beside %2").arg(text(comparison.second), text(comparison.first)),
      ModelsController::tr("%1 samples").arg(comparison.samples)};
  if (comparison.synthetic) parts << ModelsController::tr("made-up data");
  for (const OutputResult& output : comparison.outputs) {
    QString words = ModelsController::tr("%1 %2").arg(
        text(output.value), withUnit(output.error.sqnrDb, QStringLiteral("dB")));
    if (output.top1Agreement) {
      words += ModelsController::tr(", agrees %1").arg(text(percent(*output.top1Agreement)));
    }
    if (output.accuracyFloat && output.accuracyQuantized) {
      words += ModelsController::tr(", accuracy %1").arg(text(accuracyText(output)));
    }
    parts << words;
  }
  if (const auto ratio = files.headline.compressionRatio()) {
    parts << ModelsController::tr("%1× smaller").arg(shortText(*ratio));
  }
  if (const auto speedup = files.headline.speedup()) {
    if (files.headline.latency->estimated()) {
      parts << ModelsController::tr("about %1× as fast (estimate from the cost table)")
                   .arg(shortText(*speedup));
    } else {
      parts << ModelsController::tr("%1× as fast (%2)")
                   .arg(shortText(*speedup), text(files.headline.latency->runtime));
    }
  }
  const std::size_t unmatched =
      comparison.firstUnmatched.size() + comparison.secondUnmatched.size();
  parts << ModelsController::tr("%1 pairs matched, %2 values without a twin")
               .arg(comparison.layers.size())
               .arg(unmatched);
  return parts.join(QStringLiteral(" · "));
}

}  // namespace

ModelsController::ModelsController(Session& session, std::shared_ptr<Dialogs> dialogs,
                                   MessageBar& messages, QWidget* window)
    : QObject(window),
      m_session(session),
      m_dialogs(std::move(dialogs)),
      m_messages(messages),
      m_window(window),
      m_job(session.queue(), "models") {}

bool ModelsController::canCompare() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->data && shown->stage == AnalysisSnapshot::Stage::Complete;
}

void ModelsController::compareWithModel() {
  if (!canCompare()) return;
  const std::filesystem::path& model = m_session.snapshot()->model.file;
  const QString chosen =
      m_dialogs->chooseTwin(m_window, text(model.parent_path().string()), TwinKind::Model);
  if (!chosen.isEmpty()) compareWith(chosen.toStdString());
}

void ModelsController::compareWithDumps() {
  if (!canCompare()) return;
  const std::filesystem::path& model = m_session.snapshot()->model.file;
  const QString chosen =
      m_dialogs->chooseTwin(m_window, text(model.parent_path().string()), TwinKind::Dumps);
  if (!chosen.isEmpty()) compareWith(chosen.toStdString());
}

void ModelsController::compareWith(const std::filesystem::path& other) {
  if (!canCompare()) return;
  delete comparison();
  m_of = m_session.snapshot();
  m_other = other;
  m_byHand.clear();
  auto* window = new ModelsWindow(nameOf(m_of->model.file), nameOf(other), m_window);
  m_job.take(window);
  connect(window, &ModelsWindow::matchRequested, this, &ModelsController::match);
  connect(window, &ModelsWindow::saveRequested, this, &ModelsController::save);
  window->show();
  run();
}

void ModelsController::run() {
  m_job.start([this, of = m_of, other = m_other, byHand = m_byHand](JobContext& job) {
    Found found = compare(of, other, byHand, job);
    m_job.tell([this, found = std::move(found)](ModelsWindow& window) {
      m_found = found.files;
      window.showComparison({found.files.comparison, headline(found.files), found.snapshots});
    });
  });
}

// Dumps are of the configuration that is shown.
ModelsController::Found ModelsController::compare(const SnapshotPtr& of,
                                                  const std::filesystem::path& other,
                                                  const NamedMatches& byHand, JobContext& job) {
  Found found;
  std::error_code failure;  // loading says what is wrong
  if (std::filesystem::is_directory(other, failure)) {
    found.files = quantscope::compareWithDumps(of->model, &of->quantized->applied, other, *of->data,
                                               labelsOf(of->request), byHand, job);
    found.snapshots = comparedSnapshots(of->model, nullptr, found.files.comparison, job);
    return found;
  }
  const LoadedModel second = loadModel(other, job);
  found.files = compareLoaded(of->model, second, *of->data, labelsOf(of->request), byHand, job);
  found.snapshots = comparedSnapshots(of->model, &second, found.files.comparison, job);
  return found;
}

// Earlier manual matches of either value no longer hold.
void ModelsController::match(const QString& first, const QString& second) {
  const auto about = [&](const std::pair<std::string, std::string>& known) {
    return known.first == first.toStdString() ||
           (!second.isEmpty() && known.second == second.toStdString());
  };
  std::erase_if(m_byHand, about);
  m_byHand.emplace_back(first.toStdString(), second.toStdString());
  run();
}

void ModelsController::save() {
  if (!m_found || comparison() == nullptr) return;
  const QString file = m_dialogs->chooseComparison(comparison(), QStringLiteral("compare.json"));
  if (file.isEmpty()) return;
  try {
    writeFileAtomically(file.toStdString(), comparisonFile(*m_found));
  } catch (const Error& error) {
    m_messages.tell(errorMessage(error, {}));
  }
}

}  // namespace quantscope
