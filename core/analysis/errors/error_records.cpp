#include "analysis/errors/error_records.h"

namespace quantscope {
namespace {

template <class Element>
std::size_t bytesOf(const std::vector<Element>& elements) {
  return elements.size() * sizeof(Element);
}

std::size_t bytesIn(const ErrorRecord& record) {
  std::size_t bytes = bytesOf(record.samples);
  for (const ChannelSums& sample : record.samples) bytes += bytesOf(sample);
  return bytes;
}

std::size_t bytesIn(const BinRecord& record) {
  return bytesOf(record.counts);
}

std::size_t bytesIn(const ClipRecord& /*record*/) {
  return 0;
}

std::size_t bytesIn(const OutputRecord& record) {
  return bytesOf(record.samples) + bytesOf(record.scores);
}

std::size_t bytesIn(const PowerRecord& record) {
  std::size_t bytes = bytesOf(record.samples);
  for (const auto& sample : record.samples) bytes += bytesOf(sample);
  return bytes;
}

}  // namespace

void PowerRecord::Powers::add(const Powers& other) {
  reference += other.reference;
  error += other.error;
}

std::size_t byteSize(const AnyRecord& record) {
  return std::visit([](const auto& each) { return sizeof(*each) + bytesIn(*each); }, record);
}

}  // namespace quantscope
