#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/load_model.h"
#include "jobs/quantize_model.h"

namespace quantscope {

/// What an export is asked for.
struct ExportRequest {
  std::string format;  ///< one of exportFormats()
  std::filesystem::path out;
  std::optional<int> opset;  ///< of ONNX files; default: what the types need
};

/// What an export has written, for a terminal and as JSON.
struct ExportReport {
  std::string text;
  std::string json;  ///< {"format", "file", "losses": [{"node", "what"}], …}
};

/// The formats that can be written, in the order of help texts.
const std::vector<std::string>& exportFormats();

/// Writes the quantized model in a format of another tool. ONNX models are read back, run beside
/// the simulation on samples of `source`, and written only if they agree. The file appears when it
/// is complete; after an error or a cancelled job nothing is left of it.
///
/// Throws InvalidParameters for an unknown format or an opset that does not fit, Io, and
/// UnsupportedOperation where the model cannot be expressed or the written one does not agree.
ExportReport exportModel(const LoadedModel& model, const Configuration& config,
                         const CalibratedModel& calibrated, SampleSource& source,
                         const ExportRequest& request, JobContext& job);

}  // namespace quantscope
