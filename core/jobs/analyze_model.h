#pragma once

#include <filesystem>

#include "analysis/analyze.h"
#include "base/output_folder.h"
#include "detectors/detector.h"
#include "jobs/quantize_model.h"

namespace quantscope {

/// What an analysis measured, and what the detectors made of it.
struct ModelAnalysis {
  AnalysisResult result;
  DetectorReport detectors;
};

/// Calibrates on one set of samples, quantizes by the configuration, measures on another, and runs
/// the detectors.
ModelAnalysis analyzeModel(const LoadedModel& model, const PrecisionConfig& config,
                           SampleSource& calibration, SampleSource& data, const Labels& labels,
                           std::size_t batch, DetectorMode detectors, JobContext& job);

/// Writes report.json, report.html, heatmap.png and findings.txt. Throws Error(Io); a cancelled job
/// writes nothing.
void writeReports(const ModelAnalysis& analysis, const PrecisionConfig& config, const Graph& graph,
                  OutputFolder& out, JobContext& job);

/// Output error, worst layers, accuracy and findings in a few lines, for a terminal.
std::string summaryText(const ModelAnalysis& analysis);

}  // namespace quantscope
