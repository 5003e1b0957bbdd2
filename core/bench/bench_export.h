#pragma once

#include <cstddef>

#include "base/job_context.h"
#include "jobs/analysis/run_analysis.h"

namespace quantscope {

/// The cost of what is made of a complete analysis.
struct ExportBenchmark {
  std::size_t nodes = 0;
  std::size_t samples = 0;
  double exportSeconds = 0;         ///< of the QDQ model with its verification: median
  std::size_t exportedBytes = 0;    ///< of its file
  std::size_t constantBytes = 0;    ///< of the model's constants in memory
  std::size_t peakExportBytes = 0;  ///< of tensors and the file, beyond those before the export
  double reportSeconds = 0;         ///< of the report as a web page: median
  std::size_t reportBytes = 0;
  double compareSeconds = 0;  ///< of matching the model with its export, and measuring the pairs

  double memoryRatio() const {
    return static_cast<double>(peakExportBytes) / static_cast<double>(constantBytes);
  }
};

/// Throws Cancelled, and what the analysis, the export and the report throw.
ExportBenchmark benchExport(const OpenedAnalysis& opened, JobContext& job);

}  // namespace quantscope
