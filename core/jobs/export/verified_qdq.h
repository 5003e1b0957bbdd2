#pragma once

#include <optional>
#include <string>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "export/qdq/verify_export.h"
#include "jobs/export/export_model.h"

namespace quantscope {

/// The QDQ form of a shown model with what its verification found.
struct VerifiedQdq {
  std::string bytes;  ///< of the ONNX file
  int opset = 0;
  ExportLosses losses;
  ExportAgreement agreement;  ///< with what was shown
  std::string problem;        ///< why the file does not compute what it should; see problem()
};

/// Samples that exports are run on: enough to see every layer at work; an export is no measurement.
constexpr std::size_t kVerifiedSamples = 8;

/// Builds the QDQ form, reads it back and runs it beside the simulation. Float biases become int32
/// where that keeps what was shown (no sample changes its class, no output loses more than 1 dB
/// against the float network): in all layers that they fit, else without the layers that they move
/// by more than a step, else in none. A configuration that sets "bias" has what it asks for.
/// `problem` is judged against a simulation with the same biases.
VerifiedQdq makeVerifiedQdq(const ShownModel& shown, SampleSource& source, std::optional<int> opset,
                            JobContext& job);

/// The losses of makeVerifiedQdq() as long as all biases that fit stay int32.
ExportLosses findQdqLosses(const ShownModel& shown, std::optional<int> opset);

}  // namespace quantscope
