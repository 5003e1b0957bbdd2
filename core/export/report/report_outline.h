#pragma once

#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/cost/model_cost.h"
#include "detectors/detector.h"
#include "export/report/procedure.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The input of a summary of an analysis.
struct ReportSource {
  const AnalysisResult& result;  ///< with budgets and the precision ladder where they are known
  const Configuration& config;
  const DetectorReport& detectors;
  std::string program;    ///< program that made it, with its version
  std::size_t batch = 1;  ///< samples per calibration batch
  WorkDone work = {};
  ModelCost cost = {};        ///< of the model as it was measured
  std::string original = {};  ///< see headlineFigures()
};

/// A heading with what stands below it: sentences, then a table, then points. Text as it is,
/// nothing escaped: names from the model stand in it.
struct ReportSection {
  std::string title;
  std::vector<std::string> sentences = {};
  std::vector<std::string> columns = {};  ///< of the table; empty = none
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::vector<std::string>> points = {};  ///< each with the lines that belong to it
};

/// The title of a summary: the model's name, its middle left out where it is long.
std::string reportTitle(const ReportSource& source);

/// Bytes of the constants in float and quantized, bits of the weights, multiply-accumulates.
ReportSection costSection(const QuantizationSummary& summary, const ModelCost& cost);
/// The layers whose quantization alone hurts the outputs most; without rows where that was not
/// measured.
ReportSection sensitivitySection(const AnalysisResult& result);
/// Program, model, samples, calibration, backend.
ReportSection originSection(const ReportSource& source);

/// The summary of an analysis for readers without the program: headline, procedure, outputs, worst
/// layers with causes, sensitivities where they were measured, findings with their gains,
/// configuration in words with its history, cost, values not computed, and origin. Its figures are
/// those of report.html. Cut tables and names are marked.
std::vector<ReportSection> reportOutline(const ReportSource& source);

}  // namespace quantscope
