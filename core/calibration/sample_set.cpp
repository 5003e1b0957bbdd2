#include "calibration/sample_set.h"

#include <algorithm>

#include "base/error.h"
#include "tensor/tensor_id.h"

namespace quantscope {
namespace {

ContentId contentOf(const Feed& feed) {
  ContentHasher hasher;
  hasher.add(static_cast<std::uint64_t>(feed.samples)).add(static_cast<std::uint64_t>(feed.batch));
  for (const auto& [input, tensor] : feed.inputs) {
    hasher.add(static_cast<std::uint64_t>(input.at())).add(contentId(tensor));
  }
  return hasher.id();
}

std::size_t bytesOf(const Feed& feed) {
  std::size_t bytes = 0;
  for (const auto& [input, tensor] : feed.inputs) bytes += tensor.byteSize();
  return bytes;
}

Error changedError(const SampleSource& source, const std::string& sentence) {
  return {ErrorCode::InvalidData,
          sentence,
          {.file = source.description(), .node = {}, .value = {}},
          "start again when the data is complete"};
}

Error changedError(const SampleSource& source, const Feed& feed) {
  return changedError(
      source, "sample " + std::to_string(feed.firstSample) + " has changed while it was in use");
}

// What cannot be read any more has changed as well.
Feed readOnceMore(SampleSource& source, std::size_t index) {
  try {
    return source.read(index);
  } catch (const Error& error) {
    throw changedError(source, "the data has changed while it was in use: " + error.problem());
  }
}

}  // namespace

SampleSet::SampleSet(std::unique_ptr<SampleSource> source, std::size_t budget, FileStamp stamp)
    : m_source(std::move(source)), m_budget(budget), m_stamp(stamp), m_ids(m_source->feedCount()) {}

Feed SampleSet::read(std::size_t index) {
  const std::lock_guard lock(m_mutex);
  const auto kept = std::ranges::find(m_kept, index, &Kept::index);
  if (kept != m_kept.end()) {
    m_kept.splice(m_kept.begin(), m_kept, kept);
    return kept->feed;
  }
  Feed feed = readAgain(index);
  keep(index, feed);
  return feed;
}

void SampleSet::requireUnchanged() {
  if (!m_stamp.id.valid() || stampOf(m_source->description()) == m_stamp) return;
  const std::lock_guard lock(m_mutex);
  for (std::size_t index = 0; index < m_ids.size(); ++index) {
    if (!m_ids[index].valid()) continue;
    const Feed feed = readOnceMore(*m_source, index);
    if (contentOf(feed) != m_ids[index]) throw changedError(*m_source, feed);
  }
}

Feed SampleSet::readAgain(std::size_t index) {
  Feed feed = m_source->read(index);
  feed.content = contentOf(feed);
  if (m_ids[index].valid() && m_ids[index] != feed.content) {
    throw changedError(*m_source, feed);
  }
  m_ids[index] = feed.content;
  return feed;
}

void SampleSet::keep(std::size_t index, const Feed& feed) {
  const std::size_t bytes = bytesOf(feed);
  if (bytes > m_budget) return;
  while (m_bytes > m_budget - bytes) {
    m_bytes -= m_kept.back().bytes;
    m_kept.pop_back();
  }
  m_kept.push_front({index, feed, bytes});
  m_bytes += bytes;
}

}  // namespace quantscope
