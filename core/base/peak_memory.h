#pragma once

namespace quantscope {

/// The most main memory that the process has held at once since its start.
double peakRssMib();

}  // namespace quantscope
