#pragma once

#include <QFontMetricsF>
#include <QString>
#include <vector>

#include "widgets/words/range_rows.h"

namespace quantscope {

/// Where a number stands on the axis of a range chart, 0 … 1 from left to right.
class RangeAxis {
 public:
  struct Tick {
    double number = 0;
    double position = 0;
    QString text;
  };

  RangeAxis() = default;
  /// One for all rows: symmetric-logarithmic, so that small and large ranges can be compared.
  /// Linear below a tenth of the power of ten of the rows' median size.
  static RangeAxis shared(const std::vector<RangeRow>& rows);
  /// From `low` to `high`, linear.
  static RangeAxis linear(double low, double high);
  /// Linear over all that there is to show of one row, and 0.
  static RangeAxis of(const RangeRow& row);

  double position(double number) const;
  const std::vector<Tick>& ticks() const { return m_ticks; }
  /// Those whose texts fit beside each other on `width`, 0 and the largest first.
  std::vector<Tick> ticksOn(double width, const QFontMetricsF& metrics) const;
  bool logarithmic() const { return m_linearBelow > 0; }

 private:
  double scaled(double number) const;

  double m_low = 0;
  double m_high = 1;
  double m_linearBelow = 0;  // 0 = linear everywhere
  std::vector<Tick> m_ticks;
};

}  // namespace quantscope
