#include "calibration/observers/observations.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>

#include "base/error.h"

namespace quantscope {
namespace {

ContentId nextId() {
  static std::atomic<std::uint64_t> last{0};
  return ContentHasher().add("observations").add(++last).id();
}

}  // namespace

Observations::Observations(std::size_t samples, std::vector<std::optional<Observation>> byValue,
                           std::vector<double> products)
    : m_id(nextId()),
      m_samples(samples),
      m_byValue(std::move(byValue)),
      m_products(std::move(products)) {}

double Observations::productsOf(NodeId node) const {
  return node.at() < m_products.size() ? m_products[node.at()] : 0;
}

double Observations::productsPerSample() const {
  const double all = std::accumulate(m_products.begin(), m_products.end(), 0.0);
  return all / static_cast<double>(std::max<std::size_t>(1, m_samples));
}

std::size_t Observations::bytes() const {
  std::size_t bytes = m_products.size() * sizeof(double);
  for (const std::optional<Observation>& observation : m_byValue) {
    if (observation) bytes += observation->bytes();
  }
  return bytes;
}

std::size_t Observations::observedCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      m_byValue, [](const auto& observation) { return observation && !observation->range.empty; }));
}

const Observation* Observations::find(ValueId value) const {
  if (!value.valid() || value.at() >= m_byValue.size() || !m_byValue[value.at()]) return nullptr;
  return &*m_byValue[value.at()];
}

bool Observations::observed(ValueId value) const {
  const Observation* observation = find(value);
  return observation != nullptr && !observation->range.empty;
}

const Observation& Observations::required(ValueId value) const {
  if (const Observation* observation = find(value)) return *observation;
  throw Error(ErrorCode::InsufficientData, "insufficient data: the value was never computed", {},
              "calibrate with samples that reach this value");
}

Range Observations::range(ValueId value, const ObserverSpec& observer,
                          const QuantParams& target) const {
  return computeRange(required(value), observer, target);
}

std::vector<Range> Observations::channelRanges(ValueId value, const ObserverSpec& observer,
                                               const QuantParams& target,
                                               const JobContext* job) const {
  return computeChannelRanges(required(value), observer, target, job);
}

int Observations::channelAxis(ValueId value) const {
  const Observation* observation = find(value);
  return observation == nullptr ? -1 : observation->channelAxis;
}

}  // namespace quantscope
