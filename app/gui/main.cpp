#include <QApplication>
#include <QCommandLineParser>
#include <QStyleFactory>

#include "main_window.h"
#include "widgets/look/theme.h"

int main(int argc, char** argv) {
  using namespace quantscope;
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("quantscope"));
  QApplication::setApplicationDisplayName(QStringLiteral("Quantscope"));
  QApplication::setApplicationVersion(QStringLiteral(QUANTSCOPE_VERSION));
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

  QCommandLineParser parser;
  parser.addPositionalArgument(QStringLiteral("model"), QStringLiteral("The ONNX model to open"));
  const QCommandLineOption data(QStringLiteral("data"),
                                QStringLiteral("Samples: .npz, .npy, a folder or random:N"),
                                QStringLiteral("DATA"));
  const QCommandLineOption labels(QStringLiteral("labels"),
                                  QStringLiteral("Class indices of the samples (.npy)"),
                                  QStringLiteral("FILE"));
  const QCommandLineOption dark(QStringLiteral("dark"), QStringLiteral("The dark theme"));
  parser.addOptions({data, labels, dark});
  parser.addHelpOption();
  parser.addVersionOption();
  parser.process(application);
  QApplication::setPalette((parser.isSet(dark) ? Theme::night() : Theme::day()).palette());

  MainWindow window;
  if (!parser.positionalArguments().isEmpty()) {
    AnalysisRequest request;
    request.model = parser.positionalArguments().constFirst().toStdString();
    request.data = parser.value(data).toStdString();
    request.labels = parser.value(labels).toStdString();
    window.session().open(request);
  }
  window.show();
  return QApplication::exec();
}
