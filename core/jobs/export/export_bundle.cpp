#include "jobs/export/export_bundle.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/output_folder.h"
#include "base/number_text.h"
#include "export/formats/format.h"
#include "export/json/calibration_json.h"
#include "export/loss_report.h"
#include "jobs/run_model.h"

namespace quantscope {
namespace fs = std::filesystem;

namespace {

// Beside the folder, under a name that nothing has: what the user keeps there stays.
fs::path pendingPath(const fs::path& target) {
  fs::path pending = target;
  pending += ".part";
  std::error_code failure;
  for (int number = 2; fs::exists(fs::symlink_status(pending, failure)); ++number) {
    pending = target;
    pending += ".part" + std::to_string(number);
  }
  return pending;
}

/// A folder under another name until it is complete.
class PendingFolder {
 public:
  explicit PendingFolder(fs::path target)
      : m_target(std::move(target)), m_pending(pendingPath(m_target)) {
    std::error_code failure;
    if (fs::exists(m_target, failure) && !fs::is_empty(m_target, failure)) {
      throw Error(ErrorCode::InvalidParameters, "the folder is not empty",
                  {.file = m_target.string(), .node = {}, .value = {}}, "give a new folder");
    }
    OutputFolder folder(m_pending);
    folder.keep();
  }
  ~PendingFolder() {
    std::error_code ignored;
    fs::remove_all(m_pending, ignored);
  }
  PendingFolder(const PendingFolder&) = delete;
  PendingFolder& operator=(const PendingFolder&) = delete;

  const fs::path& path() const { return m_pending; }

  void finish() {
    std::error_code failure;
    fs::remove(m_target, failure);
    fs::rename(m_pending, m_target, failure);
    if (!failure) return;
    throw Error(ErrorCode::Io, "the folder cannot be given its name: " + failure.message(),
                {.file = m_target.string(), .node = {}, .value = {}}, "check the folder above it");
  }

 private:
  fs::path m_target;
  fs::path m_pending;
};

std::size_t writeValues(const LoadedModel& model, SampleSource& source,
                        const std::vector<ValueId>& values, const AppliedQuantization* applied,
                        const fs::path& folder, JobContext& job) {
  OutputFolder out(folder);
  return runModel(model, source, values, applied, out, job).values.size();
}

}  // namespace

ExportReport exportBundle(const ShownModel& shown, SampleSource& source, ExportLosses losses,
                          const ExportRequest& request, JobContext& job) {
  requireFittingOptions(request);
  PendingFolder folder(request.out);
  const LoadedModel& model = shown.model;
  const Graph& graph = *model.graph;
  const std::vector<ValueId> all = selectValues(graph, "all");
  writeValues(model, source, {graph.inputs().begin(), graph.inputs().end()}, nullptr,
              folder.path() / "inputs", job);
  writeValues(model, source, all, nullptr, folder.path() / "float", job);
  const std::size_t values =
      writeValues(model, source, all, &shown.quantized.applied, folder.path() / "quantized", job);
  const Configuration config = configurationFor(request.out / "config.json", shown.config);
  const FormatOutput parameters = ownConfiguration({*model.engine, config, shown.quantized});
  losses.insert(losses.end(), parameters.losses.begin(), parameters.losses.end());
  writeFileAtomically(folder.path() / "config.json", parameters.text);
  writeFileAtomically(folder.path() / "ranges.json",
                      calibrationJson(graph, shown.observations, shown.quantized,
                                      *shown.config.precision, shown.synthetic, job));
  job.throwIfCancelled();
  if (request.beforeWriting) request.beforeWriting();
  folder.finish();
  const nlohmann::ordered_json json{{"format", request.format},
                                    {"file", request.out.string()},
                                    {"samples", source.sampleCount()},
                                    {"values", values},
                                    {"losses", lossesJson(losses)}};
  std::string written = request.out.string() + ": " + counted(values, "value") + " of " +
                        counted(source.sampleCount(), "sample") +
                        ", float and quantized, with parameters and ranges\n";
  std::string text = written + lossesText(losses);
  return {std::move(written), std::move(losses), std::move(text),
          json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"};
}

}  // namespace quantscope
