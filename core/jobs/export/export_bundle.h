#pragma once

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/export/export_model.h"

namespace quantscope {

/// Writes the data for debugging the model on a device into a new folder: `float` and `quantized`
/// with every value of the samples and a manifest, as `run` writes them; `inputs` likewise;
/// `config.json`, the configuration with the exact parameters; `ranges.json`, as `calibrate` writes
/// it. The folder appears when it is complete.
///
/// Throws InvalidParameters where the folder is there already and not empty, Io, Cancelled.
ExportReport exportBundle(const ShownModel& shown, SampleSource& source, ExportLosses losses,
                          const ExportRequest& request, JobContext& job);

}  // namespace quantscope
