#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "calibration/check_data.h"
#include "jobs/analysis_snapshot.h"
#include "widgets/background/newest_work.h"
#include "widgets/samples/sample_preview.h"

namespace quantscope {

/// The known facts about the samples of a request, before anything runs on them.
struct DataReport {
  std::string data;  ///< the request's
  SourceKind kind = SourceKind::Unknown;
  std::vector<InputCheck> inputs;
  std::optional<Error> dataError;
  std::size_t samples = 0;  ///< all of them, whatever the request's limit
  bool synthetic = false;

  SourceKind calibrationKind = SourceKind::Unknown;
  std::optional<Error> calibrationError;
  std::size_t calibrationSamples = 0;

  std::vector<std::int64_t> labels;
  std::optional<Error> labelsError;

  bool fits() const { return !dataError && !calibrationError && !labelsError && samples > 0; }
  bool takesPictures() const {
    return kind == SourceKind::Images || calibrationKind == SourceKind::Images;
  }
};

/// One sample to look at.
struct SamplePreview {
  std::size_t sample = 0;
  std::vector<InputPreview> inputs;
  QString fileName;          ///< of an image
  QImage original;           ///< the image as it is in the file, shrunk to what fits a window
  PictureSize originalSize;  ///< before shrinking
  std::optional<Error> error;
};

/// Checks data and reads samples of it in the background, so that neither a large folder nor a
/// slow disk stops a window. The newest request wins; what an older one finds is dropped.
class DataReader : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t kThumbnails = 12;

  explicit DataReader(std::shared_ptr<const Graph> graph, SampleOpener open = openSamples,
                      QObject* parent = nullptr);

  /// Emits reportReady(), and where the data fits thumbnailReady() for the first samples.
  void check(const AnalysisRequest& request);
  /// Reads a sample of the data that was checked last; emits sampleReady().
  void read(std::size_t sample);
  bool checking() const { return m_check.busy(); }

 Q_SIGNALS:
  void reportReady(const quantscope::DataReport& report);
  /// Emitted for at most kThumbnails first samples, in order; pictures are small.
  void thumbnailReady(const quantscope::SamplePreview& preview);
  void sampleReady(const quantscope::SamplePreview& preview);

 private:
  struct OpenData;
  struct CheckResult;
  void take(const CheckResult& result);
  void readThumbnails(std::size_t count);

  std::shared_ptr<const Graph> m_graph;
  SampleOpener m_open;
  std::shared_ptr<OpenData> m_data;
  // A slow disk holds up neither the next choice nor the end of a dialog.
  NewestWork m_check{1, NewestWork::Outdated::LetGo};
  NewestWork m_thumbnails{1, NewestWork::Outdated::LetGo};
  NewestWork m_sample{1, NewestWork::Outdated::LetGo};
};

}  // namespace quantscope
