#include "fuzz/small_model.h"

#include "base/workers.h"
#include "support/graph_text.h"

namespace quantscope::test {

const Engine& smallModel() {
  static const Workers workers(1);
  static const Engine engine(graphFromText(R"(
    input x:float[1,2,4,4]
    c = Conv(x, w:float[3,2,3,3], b:float[3]) @conv
    r = Relu(c) @relu
    f = Flatten(r) @flatten
    y = Gemm(f, v:float[12,4]) @linear
    output y
  )"),
                             workers);
  return engine;
}

}  // namespace quantscope::test
