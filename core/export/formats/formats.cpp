#include "export/formats/format.h"

namespace quantscope {

const std::vector<TextFormat>& textFormats() {
  static const std::vector<TextFormat> formats{{"ort", ortScript},
                                               {"aimet-0.6.1", aimetEncodings061},
                                               {"aimet-1.0.0", aimetEncodings100},
                                               {"aimet-2.0.0", aimetEncodings200},
                                               {"tensorrt-cache", tensorrtCache},
                                               {"torch", torchScript},
                                               {"torchao", torchaoScript},
                                               {"nncf", nncfScope},
                                               {"inc", incConfig},
                                               {"modelopt", modeloptConfig},
                                               {"model-explorer", modelExplorerData},
                                               {"csv", layerTable},
                                               {"json", ownConfiguration}};
  return formats;
}

}  // namespace quantscope
