#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/per_thread.h"
#include "engine/onednn/onednn.h"

namespace quantscope::onednn {

/// A primitive that is ready to run on other buffers in every call, from any number of threads.
///
/// oneDNN's memory objects cost more to make than a small primitive takes to run; each thread keeps
/// a set of them.
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
  void runOn(Bindings& bindings, std::initializer_list<const void*> buffers) const;

  dnnl::primitive m_primitive;
  std::vector<Argument> m_arguments;  // the scratchpad last, if any
  std::size_t m_scratchpadBytes;
  PerThread<std::unique_ptr<Bindings>> m_bindings;
};

}  // namespace quantscope::onednn
