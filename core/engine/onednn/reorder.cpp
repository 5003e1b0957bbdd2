#include "engine/onednn/reorder.h"

namespace quantscope::onednn {

void reorder(const dnnl::memory::desc& from, const void* source, const dnnl::memory::desc& to,
             void* target) {
  translated([&] {
    dnnl::memory given(from, cpuEngine(), const_cast<void*>(source));
    dnnl::memory wanted(to, cpuEngine(), target);
    dnnl::stream stream(cpuEngine());
    dnnl::reorder(given, wanted).execute(stream, given, wanted);
  });
}

}  // namespace quantscope::onednn
