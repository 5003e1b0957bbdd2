#include "project/document.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"
#include "precision/backend/backend.h"
#include "precision/backend/backend_content.h"

namespace quantscope {
namespace {

std::uint64_t nextSerial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// What is known of the content stays where the path does.
void refer(FileReference& file, const std::string& path) {
  if (file.path != path) file = {path, {}, {}};
}

// The move*() tell whether they changed anything.

using PlaceOf = std::function<std::string(const std::string&)>;

bool moveBackend(std::string& backend, const PlaceOf& placeOf) {
  if (!isBackendFile(backend)) return false;
  std::string now = placeOf(backend);
  return std::exchange(backend, now) != now;
}

bool moveBackend(Configuration& config, const PlaceOf& placeOf) {
  std::string backend = config.precision->backend;
  if (!moveBackend(backend, placeOf)) return false;
  config.precision.edit([&](PrecisionConfig& precision) { precision.backend = backend; });
  return true;
}

bool moveBackend(ConfigEdit& edit, const PlaceOf& placeOf) {
  bool moved = false;
  for (ConfigStep& step : edit.steps) {
    auto* backend =
        step.place == ConfigStep::Entry::Backend ? std::get_if<std::string>(&step.value) : nullptr;
    if (backend != nullptr) moved |= moveBackend(*backend, placeOf);
  }
  return moved;
}

bool moveBackend(std::optional<Configuration>& config, const PlaceOf& placeOf) {
  return config && moveBackend(*config, placeOf);
}

template <class Names>
bool moveBackends(Names& names, const PlaceOf& placeOf) {
  bool moved = false;
  for (auto& [name, config] : names) moved |= moveBackend(config, placeOf);
  return moved;
}

ChosenData movedData(ChosenData data, const PlaceOf& placeOf) {
  for (std::string* path : {&data.data, &data.calibration, &data.labels}) {
    if (!path->empty()) *path = placeOf(*path);
  }
  return data;
}

// A choice of what is the same file by now would be no step; it stays.
struct Move {
  const PlaceOf& placeOf;

  bool operator()(DataChoice& choice) const {
    DataChoice next{choice.sentence, movedData(choice.before, placeOf),
                    movedData(choice.after, placeOf)};
    if (next == choice || next.before == next.after) return false;
    choice = std::move(next);
    return true;
  }
  bool operator()(ConfigEdit& edit) const { return moveBackend(edit, placeOf); }
  bool operator()(Naming& naming) const {
    const bool before = moveBackends(naming.before, placeOf);
    const bool after = moveBackends(naming.after, placeOf);
    return moveBackend(naming.change, placeOf) || before || after;
  }
  bool operator()(const auto& /*edit*/) const { return false; }
};

// Whether an edit leaves the configuration as it is and does nothing else; carries it out.
struct ChangesNothing {
  Configuration& config;

  bool operator()(const ConfigEdit& edit) const {
    Configuration next = edit.apply(config);
    const bool same = next == config;
    config = std::move(next);
    return same;
  }
  bool operator()(const Naming& naming) const {
    config = naming.change.apply(config);
    return naming.before == naming.after;
  }
  bool operator()(const auto& /*edit*/) const { return false; }
};

struct Sentence {
  std::string operator()(const Dismissal& dismissal) const {
    return dismissal.dismissed ? "dismiss " + dismissal.finding
                               : "bring " + dismissal.finding + " back";
  }
  std::string operator()(const auto& edit) const { return edit.sentence; }
};

}  // namespace

Document::Document(Configuration start) : m_start(start), m_configuration(std::move(start)) {
  followBackend();
}

Document::Document(Configuration start, const std::vector<Edit>& journal, std::size_t position)
    : Document(std::move(start)) {
  const bool whole = std::ranges::all_of(journal, [this](const Edit& edit) { return apply(edit); });
  if (!whole || position > journal.size()) {
    throw Error(ErrorCode::InvalidData, "the journal of edits does not lead to a configuration", {},
                "use a copy of the file");
  }
  moveTo(position);
}

// Each returns the edit that leads back; nothing where nothing changes.
std::optional<Document::Edit> Document::carryOut(const Edit& edit) {
  return std::visit([this](const auto& each) { return carryOut(each); }, edit);
}

std::optional<Document::Edit> Document::carryOut(const Dismissal& dismissal) {
  if (m_dismissed.contains(dismissal.finding) == dismissal.dismissed) return std::nullopt;
  if (dismissal.dismissed) {
    m_dismissed.insert(dismissal.finding);
  } else {
    m_dismissed.erase(dismissal.finding);
  }
  return Dismissal{dismissal.finding, !dismissal.dismissed};
}

std::optional<Document::Edit> Document::carryOut(const ConfigEdit& edit) {
  EditedConfiguration edited = edit.carryOut(m_configuration);
  if (edited.config == m_configuration) return std::nullopt;
  m_configuration = std::move(edited.config);
  followBackend();
  return std::move(edited.inverse);
}

// Names may have changed without the journal; the names in the edit count.
std::optional<Document::Edit> Document::carryOut(const Naming& naming) {
  if (naming.before == naming.after) return std::nullopt;
  for (const auto& [name, config] : naming.after) {
    config ? keep(name, *config) : forget(name);
  }
  EditedConfiguration edited = naming.change.carryOut(m_configuration);
  m_configuration = std::move(edited.config);
  followBackend();
  return Naming{naming.sentence, naming.after, naming.before, std::move(edited.inverse)};
}

// The same of the data, whose files may have moved meanwhile.
std::optional<Document::Edit> Document::carryOut(const DataChoice& choice) {
  if (choice.before == choice.after) return std::nullopt;
  refer(m_files.data, choice.after.data);
  refer(m_files.calibration, choice.after.calibration);
  refer(m_files.labels, choice.after.labels);
  m_settings = choice.after.settings;
  return DataChoice{choice.sentence, choice.after, choice.before};
}

// Counts even where the repairs stand like that, since they may have been set without the journal.
std::optional<Document::Edit> Document::carryOut(const RepairDecision& decision) {
  DecidedRepairs after = decision.after;
  after.unfinished = m_repairs.unfinished;
  return RepairDecision{decision.sentence, std::exchange(m_repairs, std::move(after))};
}

bool Document::apply(const Edit& edit) {
  std::optional<Edit> inverse = carryOut(edit);
  if (!inverse) return false;
  cutJournal();
  m_inverses.push_back(*std::move(inverse));
  m_journal.push_back(edit);
  m_serials.push_back(nextSerial());
  ++m_position;
  return true;
}

bool Document::applyContinued(const ConfigEdit& edit) {
  const auto* last = m_position > 0 ? std::get_if<ConfigEdit>(&m_journal[m_position - 1]) : nullptr;
  const std::optional<ConfigEdit> merged = last != nullptr ? mergedEdit(*last, edit) : std::nullopt;
  if (!merged) return apply(edit);
  const Configuration before = m_configuration;
  undo();
  cutJournal();
  // A drag that ends where it began changes nothing.
  apply(*merged);
  return m_configuration != before;
}

void Document::cutJournal() {
  m_journal.resize(m_position);
  m_serials.resize(m_position);
}

void Document::undo() {
  if (!canUndo()) return;
  carryOut(m_inverses.back());
  m_inverses.pop_back();
  --m_position;
}

void Document::redo() {
  if (!canRedo()) return;
  m_inverses.push_back(*carryOut(m_journal[m_position]));
  ++m_position;
}

void Document::moveTo(std::size_t position) {
  while (m_position > position) undo();
  while (m_position < std::min(position, m_journal.size())) redo();
}

void Document::dropLast() {
  if (!canUndo() || canRedo()) return;
  undo();
  cutJournal();
}

void Document::moveFiles(const std::function<std::string(const std::string&)>& placeOf) {
  const Move move{placeOf};
  moveBackend(m_start, placeOf);
  moveBackend(m_configuration, placeOf);
  moveBackends(m_named, placeOf);
  for (std::size_t i = 0; i < m_journal.size(); ++i) {
    if (std::visit(move, m_journal[i])) m_serials[i] = nextSerial();
  }
  for (Edit& inverse : m_inverses) std::visit(move, inverse);
  forgetIdleEdits();
  followBackend();
}

// Two backends may be the same file by now.
void Document::forgetIdleEdits() {
  Configuration config = m_start;
  for (std::size_t i = 0; i < m_journal.size();) {
    if (std::visit(ChangesNothing{config}, m_journal[i])) {
      const auto place = static_cast<std::ptrdiff_t>(i);
      m_journal.erase(m_journal.begin() + place);
      m_serials.erase(m_serials.begin() + place);
      if (i >= m_position) continue;
      m_inverses.erase(m_inverses.begin() + place);
      --m_position;
    } else {
      ++i;
    }
  }
}

void Document::setFiles(DocumentFiles files) {
  m_files = std::move(files);
  followBackend();
}

void Document::followBackend() {
  refer(m_files.backend, backendFile(m_configuration));
}

ChosenData Document::data() const {
  return {m_files.data.path, m_files.calibration.path, m_files.labels.path, m_settings};
}

void Document::keep(const std::string& name, const Configuration& config) {
  m_named.insert_or_assign(name, config);
}

bool operator==(const Document& a, const Document& b) {
  return a.m_position == b.m_position && a.m_start == b.m_start && a.m_journal == b.m_journal &&
         a.m_named == b.m_named && a.m_repairs == b.m_repairs && a.m_files == b.m_files &&
         a.m_settings == b.m_settings;
}

std::string sentenceOf(const Document::Edit& edit) {
  return std::visit(Sentence(), edit);
}

bool changesConfiguration(const Document::Edit& edit) {
  const auto* naming = std::get_if<Naming>(&edit);
  return std::holds_alternative<ConfigEdit>(edit) ||
         (naming != nullptr && !naming->change.steps.empty());
}

}  // namespace quantscope
