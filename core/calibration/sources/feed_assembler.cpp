#include "calibration/sources/feed_assembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "calibration/sources/element_conversion.h"

namespace quantscope {
namespace {

// The batch that an input asks for, none where any number will do.
std::optional<std::int64_t> batchOf(const InputData& data) {
  const auto& shape = data.input.shape;
  if (data.cut != Cut::Samples || !shape || shape->empty() || !shape->front().known()) return {};
  return shape->front().extent;
}

Tensor stackSamples(const std::vector<Tensor>& samples) {
  if (samples.size() == 1) return samples.front();
  Shape shape = samples.front().shape();
  shape[0] = static_cast<std::int64_t>(samples.size());
  Tensor result(samples.front().type(), shape);
  std::byte* target = result.mutableBytes();
  for (const Tensor& sample : samples) {
    std::memcpy(target, sample.bytes(), sample.byteSize());
    target += sample.byteSize();
  }
  return result;
}

}  // namespace

FeedAssembler::FeedAssembler(Origin origin, std::vector<InputData> inputs,
                             std::optional<std::size_t> limit)
    : m_origin(std::move(origin)), m_inputs(std::move(inputs)) {
  m_batch = commonBatch();
  countSamples();
  if (limit) m_samples = std::min(m_samples, *limit);
  if (m_samples == 0) {
    throw Error(ErrorCode::InsufficientData, "the data holds no samples",
                {.file = m_origin.description, .node = {}, .value = {}}, "give at least one");
  }
}

Place FeedAssembler::placeOf(const ModelInput& input) const {
  return {.file = m_origin.description, .node = {}, .value = input.name};
}

std::size_t FeedAssembler::commonBatch() const {
  std::int64_t batch = 1;
  const InputData* asking = nullptr;
  for (const InputData& data : m_inputs) {
    const std::optional<std::int64_t> wanted = batchOf(data);
    if (!wanted) continue;
    if (*wanted < 1 || (asking != nullptr && *wanted != batch)) {
      throw Error(ErrorCode::InvalidData,
                  "samples cannot be grouped, the model takes " + std::to_string(*wanted) +
                      " at once here" +
                      (asking == nullptr ? ""
                                         : " and " + std::to_string(batch) + " at the input " +
                                               asking->input.name),
                  placeOf(data.input), "give whole feeds for it, with an axis more than the input");
    }
    batch = *wanted;
    asking = &data;
  }
  return static_cast<std::size_t>(batch);
}

// 0 where no input is cut that way.
std::size_t FeedAssembler::commonCount(Cut cut) const {
  const InputData* first = nullptr;
  for (const InputData& data : m_inputs) {
    if (data.cut != cut) continue;
    if (first == nullptr) first = &data;
    if (data.count == first->count) continue;
    throw Error(ErrorCode::InvalidData,
                "the data holds " + std::to_string(data.count) + " samples here and " +
                    std::to_string(first->count) + " for the input " + first->input.name,
                placeOf(data.input), "give the same number for every input");
  }
  return first == nullptr ? 0 : first->count;
}

void FeedAssembler::countSamples() {
  const auto isCut = [this](Cut cut) { return std::ranges::count(m_inputs, cut, &InputData::cut); };
  const std::size_t feeds = commonCount(Cut::WholeFeeds);
  m_samples = commonCount(Cut::Samples);
  if (isCut(Cut::Samples) == 0) m_samples = isCut(Cut::WholeFeeds) == 0 ? 1 : feeds;
  if (isCut(Cut::WholeFeeds) == 0 || feeds == feedCount()) return;
  throw Error(ErrorCode::InvalidData,
              "the data holds " + std::to_string(feeds) + " whole feeds for some inputs and " +
                  std::to_string(m_samples) + " samples, " + std::to_string(feedCount()) +
                  " feeds, for others",
              {.file = m_origin.description, .node = {}, .value = {}},
              "give the same number for every input");
}

std::size_t FeedAssembler::feedCount() const {
  return (m_samples + m_batch - 1) / m_batch;
}

Feed FeedAssembler::read(std::size_t index) {
  Feed feed;
  feed.batch = m_batch;
  feed.firstSample = index * m_batch;
  feed.samples = std::min(m_batch, m_samples - feed.firstSample);
  for (InputData& data : m_inputs) {
    feed.inputs.emplace_back(data.input.value, readInput(data, feed, index));
  }
  return feed;
}

Tensor FeedAssembler::readInput(InputData& data, const Feed& feed, std::size_t index) {
  Tensor tensor = data.cut == Cut::Samples ? readGroup(data, feed)
                                           : readOne(data, data.cut == Cut::Constant ? 0 : index);
  if (fits(data.input, tensor.shape())) return tensor;
  throw Error(ErrorCode::InvalidData,
              "sample " + std::to_string(feed.firstSample) + " has the shape " +
                  toString(tensor.shape()) + ", the model wants " + describe(data.input),
              placeOf(data.input), m_origin.shapeRemedy);
}

// A short last group is padded with its last sample.
Tensor FeedAssembler::readGroup(InputData& data, const Feed& feed) {
  std::vector<Tensor> samples;
  for (std::size_t i = 0; i < feed.samples; ++i) {
    samples.push_back(readOne(data, feed.firstSample + i));
    if (samples.back().shape() == samples.front().shape()) continue;
    throw Error(ErrorCode::InvalidData,
                "sample " + std::to_string(feed.firstSample + i) + " has the shape " +
                    toString(samples.back().shape()) + ", the one before it " +
                    toString(samples.front().shape()) + ", but the model takes " +
                    std::to_string(m_batch) + " at once",
                placeOf(data.input), m_origin.shapeRemedy);
  }
  samples.resize(m_batch, samples.back());
  return stackSamples(samples);
}

Tensor FeedAssembler::readOne(InputData& data, std::size_t index) {
  const Place place = placeOf(data.input);
  const Tensor tensor = data.reader->read(index);
  if (!m_origin.acceptsNonFinite) requireFinite(tensor, index, place);
  return convertElements(tensor, data.input.type, place);
}

}  // namespace quantscope
