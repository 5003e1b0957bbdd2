#include "command_line.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QFileInfo>
#include <limits>

#include "app/gui/projects/project_opener.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

// The same limits as in quantscope-cli.
constexpr qulonglong kMostSamples = qulonglong{1} << 40;
constexpr qulonglong kMostMib = qulonglong{1} << 30;

// Our messages have no full stop, because text may follow.
QString withoutFullStop(QString sentence) {
  if (sentence.endsWith(u'.')) sentence.chop(1);
  return sentence;
}

class Reader {
 public:
  Reader() {
    m_parser.setApplicationDescription(tr("Shows where quantization hurts a neural network."));
    m_parser.addPositionalArgument(QStringLiteral("MODEL"), tr("ONNX models and projects to open"),
                                   QStringLiteral("[MODEL...]"));
    add("data",
        tr("Samples: a .npz or .npy file, a folder of images or of ONNX test data, or "
           "random:N"),
        "DATA");
    add("labels", tr("Class indices of the first samples (.npy): adds accuracy"), "FILE");
    add("calibration", tr("Samples to calibrate with (default: the data)"), "DATA");
    add("preprocess", tr("How images become inputs (JSON)"), "FILE");
    add("config", tr("Precision configuration (JSON)"), "FILE");
    add("samples", tr("Use only the first N samples"), "N");
    add("seed", tr("Seed of random:N (default: 0)"), "N");
    add("batch", tr("Samples per calibration batch (default: 1)"), "N");
    add("memory", tr("MiB that tensors may take (default: no limit)"), "MIB");
    m_parser.addOption({QStringLiteral("light"), tr("The light theme, this time")});
    m_parser.addOption({QStringLiteral("dark"), tr("The dark theme, this time")});
    m_parser.addHelpOption();
    m_parser.addVersionOption();
  }

  CommandLine read(const QStringList& words) {
    if (!m_parser.parse(words)) {
      m_line.problem = withoutFullStop(m_parser.errorText());
      return m_line;
    }
    if (m_parser.isSet(QStringLiteral("help"))) m_line.help = m_parser.helpText();
    if (m_parser.isSet(QStringLiteral("version"))) {
      m_line.help = QCoreApplication::applicationName() + u' ' +
                    QCoreApplication::applicationVersion() + u'\n';
    }
    m_line.models = m_parser.positionalArguments();
    readRequest();
    if (m_parser.isSet(QStringLiteral("light"))) m_line.theme = ThemeChoice::Light;
    if (m_parser.isSet(QStringLiteral("dark"))) m_line.theme = ThemeChoice::Dark;
    if (m_line.models.isEmpty() && namesData()) {
      m_line.problem = tr("these options need a model");
    } else if (namesData() && looksLikeProject(m_line.models.constFirst())) {
      m_line.problem = tr("a project has data and settings of its own: these options need a model");
    }
    return m_line;
  }

 private:
  void add(const char* name, const QString& description, const char* value) {
    m_parser.addOption({QString::fromLatin1(name), description, QString::fromLatin1(value)});
  }

  bool namesData() const {
    for (const char* name :
         {"data", "labels", "calibration", "preprocess", "config", "samples", "seed", "batch"}) {
      if (m_parser.isSet(QString::fromLatin1(name))) return true;
    }
    return false;
  }

  // Paths are remembered, so they are made independent of the working directory.
  std::string file(const char* name) const {
    const QString path = m_parser.value(QString::fromLatin1(name));
    return path.isEmpty() ? std::string() : QFileInfo(path).absoluteFilePath().toStdString();
  }

  std::string dataSource(const char* name) const {
    const std::string words = m_parser.value(QString::fromLatin1(name)).toStdString();
    return sourceKind(words) == SourceKind::Random ? words : file(name);
  }

  qulonglong number(const char* name, qulonglong low, qulonglong high, qulonglong otherwise) {
    const QString option = QString::fromLatin1(name);
    if (!m_parser.isSet(option)) return otherwise;
    bool ok = false;
    const qulonglong number = m_parser.value(option).toULongLong(&ok);
    if (ok && number >= low && number <= high) return number;
    m_line.problem = tr("--%1: '%2' is no whole number from %3 to %4")
                         .arg(option, m_parser.value(option))
                         .arg(low)
                         .arg(high);
    return otherwise;
  }

  void readRequest() {
    AnalysisRequest& request = m_line.request;
    if (!m_line.models.isEmpty()) {
      request.model = QFileInfo(m_line.models.constFirst()).absoluteFilePath().toStdString();
    }
    request.data = dataSource("data");
    request.labels = file("labels");
    request.calibration = dataSource("calibration");
    const qulonglong samples = number("samples", 1, kMostSamples, 0);
    if (samples > 0) request.source.samples = samples;
    request.source.seed = number("seed", 0, std::numeric_limits<qulonglong>::max(), 0);
    request.batch = number("batch", 1, kMostSamples, 1);
    m_line.memoryBudget = static_cast<std::size_t>(number("memory", 1, kMostMib, 0)) << 20;
    m_line.preprocessing = file("preprocess");
    m_line.config = file("config");
  }

  QCommandLineParser m_parser;
  CommandLine m_line;
};

}  // namespace

CommandLine parseCommandLine(const QStringList& words) {
  return Reader().read(words);
}

}  // namespace quantscope
