#include "base/per_thread.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace quantscope {
namespace {

constexpr std::size_t kBesideCores = 4;

// Never destroyed: threads may end after static objects are destroyed. Its lock also orders the
// uses of a number by one thread and by its next owner.
struct Numbers {
  std::mutex mutex;
  std::vector<char> taken;
};

Numbers& numbers() {
  static Numbers* const all = new Numbers;
  return *all;
}

class ThreadNumber {
 public:
  ThreadNumber() {
    const std::lock_guard lock(numbers().mutex);
    std::vector<char>& taken = numbers().taken;
    const auto free = std::ranges::find(taken, 0);
    value = static_cast<std::size_t>(free - taken.begin());
    if (free == taken.end()) taken.push_back(0);
    taken[value] = 1;
  }
  ~ThreadNumber() {
    const std::lock_guard lock(numbers().mutex);
    numbers().taken[value] = 0;
  }
  ThreadNumber(const ThreadNumber&) = delete;
  ThreadNumber& operator=(const ThreadNumber&) = delete;

  std::size_t value;
};

}  // namespace

std::size_t threadNumber() {
  static const thread_local ThreadNumber number;
  return number.value;
}

std::size_t numberedThreads() {
  static const std::size_t count = std::thread::hardware_concurrency() + kBesideCores;
  return count;
}

}  // namespace quantscope
