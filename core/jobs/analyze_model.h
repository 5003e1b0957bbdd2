#pragma once

#include <filesystem>

#include "analysis/analyze.h"
#include "base/output_folder.h"
#include "jobs/quantize_model.h"

namespace quantscope {

/// Calibrates on one set of samples, quantizes by the configuration and measures on another.
AnalysisResult analyzeModel(const LoadedModel& model, const PrecisionConfig& config,
                            SampleSource& calibration, SampleSource& data, const Labels& labels,
                            std::size_t batch, JobContext& job);

/// Writes report.json, report.html and heatmap.png. Throws Error(Io); a cancelled job writes
/// nothing.
void writeReports(const AnalysisResult& result, const Graph& graph, OutputFolder& out,
                  JobContext& job);

/// Output error, worst layers and accuracy in a few lines, for a terminal.
std::string summaryText(const AnalysisResult& result);

}  // namespace quantscope
