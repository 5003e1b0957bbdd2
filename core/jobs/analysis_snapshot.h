#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/analysis_result.h"
#include "base/content_id.h"
#include "base/files/file_stamp.h"
#include "calibration/observers/observations.h"
#include "calibration/open_samples.h"
#include "calibration/sample_set.h"
#include "detectors/detector.h"
#include "jobs/analysis/side_files.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The request for an analysis.
struct AnalysisRequest {
  std::filesystem::path model;
  std::string data;         ///< as for openSamples(); empty = none: only the structure is shown
  std::string calibration;  ///< likewise; empty = `data`
  std::filesystem::path labels;  ///< see readLabels(); empty = none
  SourceOptions source;          ///< for both
  std::size_t batch = 1;         ///< samples per calibration batch
  Configuration config;
  DetectorMode detectors = DetectorMode::Quantscope;
};

/// True if both requests run the same samples in the same batches; the configurations are not
/// compared.
bool sameData(const AnalysisRequest& a, const AnalysisRequest& b);

/// One state of an analysis: complete in itself, never changed, shared between threads.
struct AnalysisSnapshot {
  enum class Stage : std::uint8_t {
    Structure,  ///< the model is loaded; no sample has run
    Partial,    ///< only the first samples were calibrated or run so far
    Complete,
  };

  /// Which figures are already those of the edited configuration; the others are of the old one.
  enum class Edited : std::uint8_t {
    All,
    OwnErrors,     ///< of the layers that changed, and sizes
    FirstOutputs,  ///< these, and the outputs, of the first feed
  };

  Stage stage = Stage::Structure;
  Edited edited = Edited::All;
  AnalysisRequest request;
  LoadedModel model;
  /// The samples of the run; null in Stage::Structure. They cache the samples read, which is their
  /// only state that changes.
  std::shared_ptr<SampleSet> data;
  std::shared_ptr<SampleSet> calibration;
  SideFiles sideFiles;                               ///< none in Stage::Structure
  std::shared_ptr<const Observations> observations;  ///< empty ones in Stage::Structure
  std::shared_ptr<const QuantizedModel> quantized;
  /// Always there, with a row per layer; errors and ranges are absent until they are known.
  /// `samples` says how many have run.
  std::shared_ptr<const AnalysisResult> result;
  std::string original;  ///< see againstOriginal(): its file; empty = the model itself
  /// The findings of the detectors; null in Stage::Structure.
  std::shared_ptr<const DetectorReport> detected;
  bool gainsKnown = false;        ///< of all suggestions in `detected`
  std::size_t samplesWanted = 0;  ///< 0 = not known yet

  const Graph& graph() const { return *model.graph; }
};

using SnapshotPtr = std::shared_ptr<const AnalysisSnapshot>;

/// The contents that a snapshot was computed from: a file that is replaced at the same path makes
/// other ones.
struct AnalysedFiles {
  ContentId model;  ///< see Engine::content()
  FileStamp data;   ///< none for samples that are made up, and in Stage::Structure
  FileStamp calibration;
  SideFiles sideFiles;

  bool operator==(const AnalysedFiles&) const = default;
};

AnalysedFiles analysedFiles(const AnalysisSnapshot& snapshot);

/// True for results of one model and the same data, by names and contents: what differs between
/// them is due to the configuration.
bool areComparable(const AnalysisSnapshot& a, const AnalysisSnapshot& b);

}  // namespace quantscope
