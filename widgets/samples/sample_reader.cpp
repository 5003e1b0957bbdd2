#include "widgets/samples/sample_reader.h"

#include <algorithm>
#include <new>

#include "base/error.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kMostKept = 64;
// Larger pictures than any view shows would only fill the memory.
constexpr int kLargestPicture = 384;

void shrink(QImage& picture) {
  if (picture.width() <= kLargestPicture && picture.height() <= kLargestPicture) return;
  picture = picture.scaled(kLargestPicture, kLargestPicture, Qt::KeepAspectRatio,
                           Qt::SmoothTransformation);
}

}  // namespace

struct SampleReader::Data {
  AnalysisRequest request;
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<SampleSource> source;
  std::vector<std::int64_t> labels;
  std::size_t samplesPerFeed = 1;

  void open() {
    if (source) return;
    std::unique_ptr<SampleSource> opened = openSamples(request.data, *graph, request.source);
    if (opened->feedCount() < opened->sampleCount()) samplesPerFeed = opened->read(0).batch;
    if (!request.labels.empty()) labels = readLabels(request.labels);
    source = std::move(opened);
  }

  SampleContent read(std::size_t sample) {
    SampleContent content;
    try {
      open();
      if (sample >= source->sampleCount()) {
        throw Error(ErrorCode::InvalidData, "the data has no sample " + std::to_string(sample));
      }
      const Feed feed = source->read(sample / samplesPerFeed);
      content.inputs = previewSample(feed, sample % samplesPerFeed, *graph);
      for (InputPreview& input : content.inputs) shrink(input.picture);
      if (sample < labels.size()) content.label = labels[sample];
    } catch (const std::bad_alloc&) {
      content.error = tr("There is not enough memory to read this sample.");
    } catch (const std::exception& error) {
      content.error = text(error.what());
    }
    return content;
  }
};

void SampleReader::setSnapshot(const SnapshotPtr& snapshot) {
  const bool readable = snapshot && !snapshot->request.data.empty();
  const bool same = m_data && readable && m_data->graph == snapshot->model.graph &&
                    sameData(m_data->request, snapshot->request);
  if (same || (!m_data && !readable)) return;
  m_reading.cancel();
  m_cache.clear();
  m_data.reset();
  if (!readable) return;
  m_data = std::make_shared<Data>();
  m_data->request = snapshot->request;
  m_data->graph = snapshot->model.graph;
}

void SampleReader::request(std::vector<int> samples) {
  std::erase_if(samples, [this](int sample) { return sample < 0 || find(sample) != nullptr; });
  if (!m_data) return;
  // Compressed data is read fastest in its order.
  std::ranges::sort(samples);
  std::vector<NewestWork::Item> items;
  for (const int sample : samples) {
    items.push_back(
        {QString::number(sample), [this, data = m_data, sample](const NewestWork::Turn& /*turn*/) {
           return [this, sample, content = data->read(static_cast<std::size_t>(sample))] {
             keep(sample, content);
           };
         }});
  }
  m_reading.replaceWaiting(std::move(items));
}

const SampleContent* SampleReader::find(int sample) {
  const auto entry = std::ranges::find(m_cache, sample, &std::pair<int, SampleContent>::first);
  if (entry == m_cache.end()) return nullptr;
  m_cache.splice(m_cache.begin(), m_cache, entry);
  return &m_cache.front().second;
}

void SampleReader::keep(int sample, SampleContent content) {
  if (find(sample) != nullptr) return;
  m_cache.emplace_front(sample, std::move(content));
  if (m_cache.size() > kMostKept) m_cache.pop_back();
  Q_EMIT ready(sample);
}

}  // namespace quantscope
