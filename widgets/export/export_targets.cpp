#include "widgets/export/export_targets.h"

#include <QCoreApplication>
#include <algorithm>

#include "jobs/export/export_model.h"
#include "jobs/export/export_report.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

using Kind = ExportTarget::Kind;

struct Words {
  const char* format;
  const char* title;
  const char* ending;
  const char* definition;
};

constexpr Words kWords[] = {
    {"qdq-onnx", QT_TRANSLATE_NOOP("ExportTarget", "Quantized ONNX model"), ".qdq.onnx",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "The model with QuantizeLinear and DequantizeLinear, weights stored as "
                       "integers. ONNX Runtime, TensorRT and most compilers read it. It is read "
                       "back, run beside what is shown and written only if it agrees.")},
    {"qdq-onnx-mobile", QT_TRANSLATE_NOOP("ExportTarget", "ONNX model for phones"), ".mobile.onnx",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "The same under QNNPACK's rules, as ONNX Runtime Mobile and XNNPACK run it: "
                       "shared grids, int32 biases, and the nearest type where a layer has one "
                       "that phones lack.")},
    {"bundle", QT_TRANSLATE_NOOP("ExportTarget", "Golden values"), ".golden",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "A folder for debugging on a device: every value of all samples, float and "
                       "quantized, as .npy files, the inputs, ranges and parameters.")},
    {"ort", QT_TRANSLATE_NOOP("ExportTarget", "ONNX Runtime script"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "A Python script that quantizes the model with ONNX Runtime and these "
                       "scales.")},
    {"aimet-0.6.1", QT_TRANSLATE_NOOP("ExportTarget", "AIMET encodings 0.6.1"), ".encodings",
     QT_TRANSLATE_NOOP("ExportTarget", "Scales and offsets by tensor name, for AIMET and QNN.")},
    {"aimet-1.0.0", QT_TRANSLATE_NOOP("ExportTarget", "AIMET encodings 1.0.0"), ".encodings",
     QT_TRANSLATE_NOOP("ExportTarget", "The same in the newer form, a list of encodings.")},
    {"aimet-2.0.0", QT_TRANSLATE_NOOP("ExportTarget", "AIMET encodings 2.0.0"), ".encodings",
     QT_TRANSLATE_NOOP("ExportTarget", "The form of AIMET 2, with ONNX's scales and zero points.")},
    {"tensorrt-cache", QT_TRANSLATE_NOOP("ExportTarget", "TensorRT calibration cache"), ".cache",
     QT_TRANSLATE_NOOP("ExportTarget", "One symmetric scale per value, for TensorRT up to 10.")},
    {"torch", QT_TRANSLATE_NOOP("ExportTarget", "PyTorch QConfigMapping"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "A Python script that gives torch.ao.quantization these types and scales.")},
    {"torchao", QT_TRANSLATE_NOOP("ExportTarget", "torchao (PT2E) quantizer"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "A Python script with a quantizer for torchao's prepare_pt2e that gives "
                       "exported PyTorch programs these scales.")},
    {"nncf", QT_TRANSLATE_NOOP("ExportTarget", "NNCF ignored scope"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget", "What stays float, for OpenVINO's NNCF.")},
    {"inc", QT_TRANSLATE_NOOP("ExportTarget", "Intel Neural Compressor"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget", "The types of each node as an op_name_dict.")},
    {"modelopt", QT_TRANSLATE_NOOP("ExportTarget", "NVIDIA Model Optimizer"), ".py",
     QT_TRANSLATE_NOOP("ExportTarget", "The types of each layer as a quant_cfg.")},
    {"model-explorer", QT_TRANSLATE_NOOP("ExportTarget", "Model Explorer node data"), ".json",
     QT_TRANSLATE_NOOP("ExportTarget", "The bits of each node as colours for Model Explorer.")},
    {"csv", QT_TRANSLATE_NOOP("ExportTarget", "Table of layers"), ".csv",
     QT_TRANSLATE_NOOP("ExportTarget", "Types and parameters of each layer, for a spreadsheet.")},
    {"json", QT_TRANSLATE_NOOP("ExportTarget", "Quantscope configuration"), ".config.json",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "The configuration with every scale, which gives the same numbers on any "
                       "calibration data.")},
    {"html", QT_TRANSLATE_NOOP("ExportTarget", "Report as a web page"), ".report.html",
     QT_TRANSLATE_NOOP("ExportTarget",
                       "One file for a colleague without the program: figures, graph, findings, "
                       "heatmap, all layers, the configuration and what was done.")},
    {"pdf", QT_TRANSLATE_NOOP("ExportTarget", "Report as PDF"), ".report.pdf",
     QT_TRANSLATE_NOOP("ExportTarget", "The same as pages of A4, with the heatmap at the end.")},
    {"markdown", QT_TRANSLATE_NOOP("ExportTarget", "Report as Markdown"), ".report.md",
     QT_TRANSLATE_NOOP("ExportTarget", "The same as text with tables, for a ticket or a wiki.")},
    {"png", QT_TRANSLATE_NOOP("ExportTarget", "Heatmap as PNG"), ".heatmap.png",
     QT_TRANSLATE_NOOP("ExportTarget", "The errors of all layers as a picture.")},
    {"svg", QT_TRANSLATE_NOOP("ExportTarget", "Heatmap as SVG"), ".heatmap.svg",
     QT_TRANSLATE_NOOP("ExportTarget", "The same as a drawing that stays sharp at every size.")},
};

QString translated(const char* words) {
  return QCoreApplication::translate("ExportTarget", words);
}

Kind kindOf(const std::string& format) {
  if (isReportFormat(format)) return Kind::Report;
  const bool model = format.starts_with("qdq-onnx") || format == "bundle";
  return model ? Kind::Model : Kind::OtherTool;
}

// A format without a title here has its name on the command line.
ExportTarget targetOf(const std::string& format) {
  ExportTarget target{kindOf(format),
                      format,
                      text(format),
                      {},
                      {},
                      format == "bundle",
                      format.starts_with("qdq-onnx")};
  const auto* found = std::ranges::find(kWords, format, &Words::format);
  if (found == std::end(kWords)) return target;
  target.title = translated(found->title);
  target.ending = QString::fromLatin1(found->ending);
  target.definition = translated(found->definition);
  return target;
}

}  // namespace

QString titleOf(Kind kind) {
  switch (kind) {
    case Kind::Model:
      return translated(QT_TRANSLATE_NOOP("ExportTarget", "Model"));
    case Kind::OtherTool:
      return translated(QT_TRANSLATE_NOOP("ExportTarget", "For other tools"));
    case Kind::Report:
      return translated(QT_TRANSLATE_NOOP("ExportTarget", "Reports"));
  }
  return {};
}

const std::vector<ExportTarget>& exportTargets() {
  static const std::vector<ExportTarget> targets = [] {
    std::vector<ExportTarget> all;
    for (const std::string& format : exportFormats()) all.push_back(targetOf(format));
    for (const std::string& format : reportFormats()) all.push_back(targetOf(format));
    return all;
  }();
  return targets;
}

}  // namespace quantscope
