#include "widgets/data/data_reader.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/workers.h"
#include "calibration/images/decode_image.h"
#include "calibration/sources/image_folder.h"
#include "widgets/look/text.h"

namespace quantscope {

// Shared by the jobs that read it, which may outlive the reader; one of them at a time.
struct DataReader::OpenData {
  std::mutex mutex;
  std::unique_ptr<SampleSource> source;
  std::size_t batch = 1;
  std::vector<std::filesystem::path> images;  ///< in the order of the samples

  SamplePreview preview(std::size_t sample, const Graph& graph);
};

struct DataReader::CheckResult {
  DataReport report;
  std::shared_ptr<OpenData> data;

  void checkSamples(const AnalysisRequest& request, const Graph& graph, const SampleOpener& open);
  void checkCalibration(const AnalysisRequest& request, const Graph& graph,
                        const SampleOpener& open);
  void readLabelsOf(const AnalysisRequest& request);
};

namespace {

constexpr int kPictureSide = 128;
constexpr int kLongestSide = 640;

QImage shrunk(const QImage& image, int side) {
  if (image.isNull() || std::max(image.width(), image.height()) <= side) return image;
  return image.scaled(side, side, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

Error unexpected(const std::exception& exception) {
  return {ErrorCode::InvalidData, std::string("the data cannot be read: ") + exception.what()};
}

template <class Action>
std::optional<Error> errorOf(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorCode::InsufficientData, "there is not enough memory for a sample");
  } catch (const std::exception& exception) {
    return unexpected(exception);
  }
  return {};
}

// The whole picture is looked at, so that a broken file is noticed; only a small one is kept.
void addOriginal(SamplePreview& preview, const std::vector<std::filesystem::path>& images) {
  if (preview.sample >= images.size()) return;
  const std::filesystem::path& file = images[preview.sample];
  const RgbPicture picture = decodeImage(file);
  preview.originalSize = picture.size;
  const QImage image(picture.rgb.data(), picture.size.width, picture.size.height,
                     qsizetype{3} * picture.size.width, QImage::Format_RGB888);
  // A copy where nothing was shrunk: the pixels are the picture's.
  preview.original = shrunk(image, kLongestSide).convertToFormat(QImage::Format_RGB32);
}

// All samples, so that their number is known whatever the request's limit.
SourceOptions allSamples(const AnalysisRequest& request) {
  SourceOptions options = request.source;
  options.samples.reset();
  return options;
}

}  // namespace

void DataReader::CheckResult::checkSamples(const AnalysisRequest& request, const Graph& graph,
                                           const SampleOpener& open) {
  const std::optional<Error> failure = errorOf([&] {
    report.data = request.data;
    DataCheck check = checkData(request.data, graph, allSamples(request), open);
    report.kind = check.kind;
    report.inputs = std::move(check.inputs);
    report.dataError = std::move(check.error);
    if (!check.samples) return;
    report.samples = check.samples->sampleCount();
    report.synthetic = check.samples->synthetic();
    data = std::make_shared<OpenData>();
    data->batch = check.batch;
    data->source = std::move(check.samples);
    if (report.kind == SourceKind::Images) data->images = imageFiles(request.data);
  });
  if (failure) report.dataError = failure;
}

void DataReader::CheckResult::checkCalibration(const AnalysisRequest& request, const Graph& graph,
                                               const SampleOpener& open) {
  if (request.calibration.empty()) return;
  const std::optional<Error> failure = errorOf([&] {
    const DataCheck check = checkData(request.calibration, graph, allSamples(request), open);
    report.calibrationKind = check.kind;
    report.calibrationError = check.error;
    if (check.samples) report.calibrationSamples = check.samples->sampleCount();
  });
  if (failure) report.calibrationError = failure;
}

void DataReader::CheckResult::readLabelsOf(const AnalysisRequest& request) {
  if (request.labels.empty()) return;
  report.labelsError = errorOf([&] { report.labels = readLabels(request.labels); });
}

SamplePreview DataReader::OpenData::preview(std::size_t sample, const Graph& graph) {
  SamplePreview result;
  result.sample = sample;
  if (sample < images.size()) result.fileName = text(images[sample].filename().string());
  result.error = errorOf([&] {
    const std::scoped_lock lock(mutex);
    result.inputs = previewSample(source->read(sample / batch), sample % batch, graph);
    addOriginal(result, images);
  });
  return result;
}

DataReader::DataReader(std::shared_ptr<const Graph> graph, SampleOpener open, QObject* parent)
    : QObject(parent), m_graph(std::move(graph)), m_open(std::move(open)) {}

void DataReader::check(const AnalysisRequest& request) {
  m_thumbnails.cancel();
  m_sample.cancel();
  m_check.start([this, request, graph = m_graph, open = m_open](const NewestWork::Turn& turn) {
    lowerThreadPriority();
    const auto result = std::make_shared<CheckResult>();
    result->checkSamples(request, *graph, open);
    if (!turn.outdated()) result->checkCalibration(request, *graph, open);
    result->readLabelsOf(request);
    return [this, result] { take(*result); };
  });
}

void DataReader::take(const CheckResult& result) {
  m_data = result.data;
  Q_EMIT reportReady(result.report);
  if (m_data && !checking()) readThumbnails(std::min(result.report.samples, kThumbnails));
}

void DataReader::readThumbnails(std::size_t count) {
  m_thumbnails.start([this, data = m_data, graph = m_graph,
                      count](const NewestWork::Turn& turn) -> NewestWork::Answer {
    lowerThreadPriority();
    for (std::size_t sample = 0; sample < count && !turn.outdated(); ++sample) {
      SamplePreview preview = data->preview(sample, *graph);
      for (InputPreview& input : preview.inputs) {
        input.picture = shrunk(input.picture, kPictureSide);
      }
      preview.original = shrunk(preview.original, kPictureSide);
      turn.tell([this, preview = std::move(preview)] { Q_EMIT thumbnailReady(preview); });
    }
    return {};
  });
}

void DataReader::read(std::size_t sample) {
  m_sample.cancel();
  if (!m_data) return;
  m_sample.start([this, data = m_data, graph = m_graph, sample](const NewestWork::Turn& /*turn*/) {
    lowerThreadPriority();
    return [this, preview = data->preview(sample, *graph)] { Q_EMIT sampleReady(preview); };
  });
}

}  // namespace quantscope
