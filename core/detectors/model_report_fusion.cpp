#include "detectors/model_report_fusion.h"

namespace quantscope {

const Backend& modelReportFusion() {
  static const Backend fusion = [] {
    Backend backend;
    backend.name = "ModelReport";
    backend.patterns = {{{"Conv", "Gemm"}, {{"BatchNormalization"}, {"Relu"}}},
                        {{"MatMul"}, {{"Add"}, {"Relu"}}},
                        {{"BatchNormalization"}, {{"Relu"}}}};
    return backend;
  }();
  return fusion;
}

}  // namespace quantscope
