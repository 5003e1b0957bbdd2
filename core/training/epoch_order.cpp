#include "training/epoch_order.h"

#include <numeric>
#include <utility>

#include "base/counter_random.h"

namespace quantscope {

// Fisher and Yates.
std::size_t EpochOrder::at(std::size_t phase, std::size_t count, std::size_t position) {
  const CounterRandom random = CounterRandom(m_seed).with(phase).with(position / count);
  if (m_order.size() != count || m_key != random.key()) {
    m_order.resize(count);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    for (std::size_t i = count; i-- > 1;) std::swap(m_order[i], m_order[random.bits(i) % (i + 1)]);
    m_key = random.key();
  }
  return m_order[position % count];
}

}  // namespace quantscope
