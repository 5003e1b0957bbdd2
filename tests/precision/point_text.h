#pragma once

#include <QString>

#include "precision/config/point_name.h"

namespace quantscope::test {

/// "conv" for an output, "conv>add" for an input.
inline QString pointText(const PointName& point) {
  const QString producer = QString::fromStdString(point.producer);
  return point.isOutput() ? producer : producer + ">" + QString::fromStdString(point.consumer);
}

}  // namespace quantscope::test
