#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/content_id.h"
#include "base/ids.h"
#include "calibration/observers/observation.h"
#include "calibration/observers/observed_range.h"

namespace quantscope {

/// The observations of calibration for every float value of a graph.
class Observations {
 public:
  Observations() = default;
  /// `products`: multiply-accumulates by node, or nothing where they were not counted.
  Observations(std::size_t samples, std::vector<std::optional<Observation>> byValue,
               std::vector<double> products = {});

  /// Shared with copies, and with nothing else in this process; invalid where nothing was observed.
  ContentId id() const { return m_id; }
  /// Samples of the calibration pass.
  std::size_t samples() const { return m_samples; }
  /// By ValueId; nullopt for values that were never computed.
  const std::vector<std::optional<Observation>>& byValue() const { return m_byValue; }
  /// Multiply-accumulates of all samples, by NodeId; empty where they were not counted.
  const std::vector<double>& products() const { return m_products; }
  /// Of one node and all samples; 0 where they were not counted.
  double productsOf(NodeId node) const;
  /// Of all nodes together, for one sample; 0 where they were not counted.
  double productsPerSample() const;
  /// The memory that all observations take.
  std::size_t bytes() const;
  /// Values with at least one finite element.
  std::size_t observedCount() const;
  /// True where the value was computed and had at least one finite element.
  bool observed(ValueId value) const;
  /// nullptr where the value was never computed.
  const Observation* find(ValueId value) const;

  /// The range of an observed value; see computeRange and computeChannelRanges.
  Range range(ValueId value, const ObserverSpec& observer, const QuantParams& target = {}) const;
  std::vector<Range> channelRanges(ValueId value, const ObserverSpec& observer,
                                   const QuantParams& target = {},
                                   const JobContext* job = nullptr) const;
  /// −1 = none.
  int channelAxis(ValueId value) const;

 private:
  const Observation& required(ValueId value) const;

  ContentId m_id;
  std::size_t m_samples = 0;
  std::vector<std::optional<Observation>> m_byValue;
  std::vector<double> m_products;
};

}  // namespace quantscope
