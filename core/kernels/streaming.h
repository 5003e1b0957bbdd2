#pragma once

#include <cstddef>

namespace quantscope {

/// Results of this many bytes go past the caches: they would push out what else is there, and are
/// gone themselves before anybody reads them. A store that goes past saves reading the line first.
constexpr std::size_t kStreamedBytes = std::size_t{4} << 20;

/// Of every CPU that Highway runs on here.
constexpr std::size_t kCacheLine = 64;

/// Runs this long are worth streaming wherever they begin.
constexpr std::size_t kLongRun = 4096;

/// Floats between what is being read and what is asked for: a page, which the hardware's own
/// prefetching does not cross.
constexpr std::size_t kPrefetchAhead = 1024;

}  // namespace quantscope
