#pragma once

#include <cstddef>
#include <string>

#include "calibration/open_samples.h"
#include "detectors/detector.h"

namespace quantscope {

/// A file or folder that a document refers to: its last known place and content. Synthetic data
/// ("random:8") has its name as the path.
struct FileReference {
  std::string path = {};
  std::string contentId = {};  ///< as hexadecimal digits; empty if it was not computed yet
  /// The FileStamp at that time, likewise; it saves reading the content again.
  std::string stamp = {};

  bool empty() const { return path.empty(); }
  friend bool operator==(const FileReference&, const FileReference&) = default;
};

/// The files that a document refers to.
struct DocumentFiles {
  FileReference model = {};
  FileReference data = {};
  FileReference calibration = {};  ///< empty: the data
  FileReference labels = {};
  /// The file of the configuration's backend; empty for one that is shipped. A Document has it
  /// follow its configuration.
  FileReference backend = {};

  friend bool operator==(const DocumentFiles&, const DocumentFiles&) = default;
};

/// How the samples are read and looked at.
struct AnalysisSettings {
  SourceOptions source = {};
  std::size_t batch = 1;  ///< samples per calibration batch
  DetectorMode detectors = DetectorMode::Quantscope;

  friend bool operator==(const AnalysisSettings&, const AnalysisSettings&) = default;
};

}  // namespace quantscope
