#pragma once

#include "base/job_context.h"
#include "jobs/export/export_model.h"

namespace quantscope {

/// A shown model under the rules of phones.
struct MobileModel {
  Configuration config;
  QuantizedModel quantized;
  ExportLosses losses;  ///< per layer: what has another precision than was shown
};

/// The shown model as the backend "qnnpack" runs it: fused as it fuses, shared grids, fixed output
/// grids, int32 biases, and each layer in the nearest precision that it supports. Without a job it
/// all runs on this thread.
MobileModel mobileModel(const ShownModel& shown, const JobContext* job);

}  // namespace quantscope
