#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/onednn/onednn.h"

namespace quantscope::onednn {

/// A primitive that is ready to run on other buffers in every call, from any number of threads.
///
/// oneDNN's memory objects cost more to make than a small primitive takes to run; they are kept in
/// sets, one per thread that happens to run at the same time.
class PrimitiveCall {
 public:
  struct Argument {
    int role;  ///< DNNL_ARG_SRC, …
    dnnl::memory::desc descriptor;
  };

  PrimitiveCall(dnnl::primitive primitive, std::vector<Argument> arguments,
                const dnnl::memory::desc& scratchpad);
  ~PrimitiveCall();
  PrimitiveCall(const PrimitiveCall&) = delete;
  PrimitiveCall& operator=(const PrimitiveCall&) = delete;

  /// Runs on one buffer per argument, in their order.
  void run(std::initializer_list<const void*> buffers) const;

 private:
  struct Bindings;
  std::unique_ptr<Bindings> take() const;
  void giveBack(std::unique_ptr<Bindings> bindings) const;

  dnnl::primitive m_primitive;
  std::vector<Argument> m_arguments;  // the scratchpad last, if any
  std::size_t m_scratchpadBytes;
  mutable std::mutex m_mutex;
  mutable std::vector<std::unique_ptr<Bindings>> m_idle;
};

}  // namespace quantscope::onednn
