#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quantscope {

/// The rule that derives the range to quantize from an observation.
struct ObserverSpec {
  enum class Kind : std::uint8_t {
    MinMax,
    MovingAverage,
    Histogram,
    Percentile,
    Mse,
    Kl,
    MaxCodeEntropy,
  };

  Kind kind = Kind::MinMax;
  /// MovingAverage: the share c of each batch, in (0, 1]: m ← m + c · (m_batch − m).
  double averagingConstant = 0.01;
  /// Histogram: bins between the observed minimum and maximum, in [2, 65536].
  int bins = 2048;
  /// Percentile: both in percent, 0 ≤ low < high ≤ 100.
  double lowPercent = 0.1;
  double highPercent = 99.9;

  /// True where the range follows from a histogram: for all but MinMax and MovingAverage.
  bool readsHistograms() const { return kind != Kind::MinMax && kind != Kind::MovingAverage; }

  friend bool operator==(const ObserverSpec&, const ObserverSpec&) = default;
};

/// "minmax", "moving-average[:C]", "histogram[:BINS]", "percentile:LO:HI", "mse", "kl"
/// (also "entropy", as the field calls it) or "max-code-entropy". Throws
/// InvalidConfiguration for anything else, naming the known ones, and for numbers out of
/// their range.
ObserverSpec parseObserver(std::string_view text);

/// The shortest text that parses to the same observer.
std::string toString(const ObserverSpec& observer);

}  // namespace quantscope
