#include "export/format_case.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "support/graph_text.h"
#include "support/memory_source.h"

namespace quantscope::test {
namespace {

const char* const kText =
    "input x:float[1,2,4,4]\nw:float[3,2,1,1]{1,2,3,4,5,6}\nb:float[3]\n"
    "c = Conv(x, w, b) @/net/net.0/conv/Conv\nr = Relu(c) @/net/act/Relu\nv:float[2,3,1,1]\n"
    "y = Conv(r, v) @/net/last/Conv\noutput y";

}  // namespace

const char* const kEvil = "a\"]; import os; os.system('x')\n#*[?]<script>: \xF0\x9F\x98\x80";

FormatCase::FormatCase(const std::string& configJson, const std::string& valueName,
                       const std::string& nodeName, const std::optional<std::string>& fileName) {
  Graph built = *graphFromText(kText);
  const NodeId last = built.findNode("/net/last/Conv");
  if (!valueName.empty()) built.mutableValue(built.findValue("r")).name = valueName;
  if (!nodeName.empty()) built.mutableNode(last).name = nodeName;
  built.mutableNode(last).fileName = fileName;
  built.finish();
  graph = std::make_shared<const Graph>(std::move(built));
  engine.emplace(graph, workers);
  if (!configJson.empty()) config = parseConfiguration(configJson, "config");
  Tensor x(ElementType::Float32, Shape{1, 2, 4, 4});
  int i = 0;
  for (float& value : x.mutableValues<float>()) value = static_cast<float>(++i % 7) - 2.5F;
  MemorySource source(graph->inputs()[0], {x});
  JobContext job(workers);
  observations = calibrate(*engine, source, {}, job);
  model = quantizeModel(*engine, config, observations);
}

FormatOutput FormatCase::write(const char* format) const {
  for (const TextFormat& known : textFormats()) {
    if (std::string_view(known.name) == format) return known.write(input());
  }
  throw std::runtime_error(format);
}

QString runPython(const std::string& script, const char* program, const char* stub) {
  const QTemporaryDir folder;
  const auto write = [&](const QString& name, const std::string& text) {
    QFile file(folder.filePath(name));
    if (file.open(QFile::WriteOnly)) file.write(QByteArray::fromStdString(text));
  };
  write("script.py", script);
  QDir(folder.path()).mkpath("onnxruntime");
  if (*stub != 0) {
    write("onnxruntime/__init__.py", "");
    write("onnxruntime/quantization.py", stub);
  }
  QProcess python;
  python.setWorkingDirectory(folder.path());
  python.start("/usr/bin/python3", {"-c", program});
  if (!python.waitForFinished(120'000)) return "no python";
  const QString error = QString::fromUtf8(python.readAllStandardError());
  const QString out = QString::fromUtf8(python.readAllStandardOutput());
  return python.exitCode() == 0 ? out : "failed: " + error;
}

}  // namespace quantscope::test
