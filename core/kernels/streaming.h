#pragma once

#include <cstddef>

namespace quantscope {

/// Results of at least this many bytes bypass the caches: they would evict other data and would
/// themselves be evicted before they are read. A bypassing store saves reading the line first.
constexpr std::size_t kStreamedBytes = std::size_t{4} << 20;

/// Bytes of a cache line of every CPU that Highway runs on here.
constexpr std::size_t kCacheLine = 64;

/// Runs of this length are worth streaming at any alignment.
constexpr std::size_t kLongRun = 4096;

/// Prefetch distance in floats: a page, a border that the hardware's own prefetching does not
/// cross.
constexpr std::size_t kPrefetchAhead = 1024;

}  // namespace quantscope
