#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/observers/observations.h"
#include "calibration/sample_source.h"
#include "export/export_loss.h"
#include "jobs/analysis_snapshot.h"
#include "jobs/load_model.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The subject of an export: a calibrated model under a configuration. What it refers to outlives
/// it.
struct ShownModel {
  const LoadedModel& model;
  const Configuration& config;
  const Observations& observations;
  const QuantizedModel& quantized;
  bool synthetic = false;  ///< calibrated on synthetic samples, which is among the losses
};

/// Of a complete analysis, which outlives it.
ShownModel shownModel(const AnalysisSnapshot& analysis);

/// The settings of an export.
struct ExportRequest {
  std::string format;             ///< one of exportFormats()
  std::filesystem::path out;      ///< a file; of "bundle" a new folder
  std::optional<int> opset = {};  ///< of ONNX files; default: what the types need
  /// Where ONNX Runtime was installed; see askOnnxRuntime().
  std::optional<std::filesystem::path> onnxRuntime = {};
  /// Called by exportModel() when all is computed, before a file appears; may throw (optional).
  std::function<void()> beforeWriting = {};
};

/// The result of an export.
struct ExportReport {
  std::string written;  ///< the file, and how it agrees with what was shown
  ExportLosses losses;
  std::string text;            ///< both, for a terminal
  std::string json;            ///< {"format", "file", "losses": [{"node", "what"}], …}
  std::string agreement = {};  ///< in a sentence; empty where the file cannot be run
};

/// Throws InvalidParameters where an opset or ONNX Runtime is named for a format that is no ONNX
/// file.
void requireFittingOptions(const ExportRequest& request);

/// The formats that can be written, in the order of help texts.
const std::vector<std::string>& exportFormats();

/// The parts of the shown model that a format cannot express; nothing is written. Throws what
/// exportModel() throws, except Io.
ExportLosses findExportLosses(const ShownModel& shown, const ExportRequest& request);

/// Writes the shown model in a format of another tool. ONNX models are read back, run beside the
/// simulation on samples of `source`, and written only if they agree; ONNX Runtime runs them too
/// where it is installed. The file appears when it is complete; after an error or a cancelled job
/// nothing is left of it.
///
/// Throws InvalidParameters for an unknown format or an opset that does not fit, Io, and
/// UnsupportedOperation where the model cannot be expressed or the written one does not agree.
ExportReport exportModel(const ShownModel& shown, SampleSource& source,
                         const ExportRequest& request, JobContext& job);

}  // namespace quantscope
