#include "base/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/files/file_descriptor.h"

namespace quantscope {
namespace {

// Latest time after which a cancelled job ends the program.
constexpr int kPatienceMs = 50;

struct Pipe {
  FileDescriptor reading{-1};
  FileDescriptor writing{-1};

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
  }
};

std::vector<std::string> environmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [other, value] : variables) replaced = replaced || other == name;
    if (!replaced) entries.emplace_back(text);
  }
  for (const auto& [name, value] : variables) {
    std::string entry = name;
    entry += '=';
    entry += value;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// A program that is ended when its Child is destroyed.
class Child {
 public:
  Child(std::vector<std::string> arguments, std::vector<std::string> environment,
        const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.writing.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.writing.get(), STDERR_FILENO);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(environment);
    m_started = ::posix_spawnp(&m_pid, argv[0], &actions, nullptr, argv.data(), envp.data()) == 0;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return m_started; }
  void end() {
    if (!m_started) return;
    ::kill(m_pid, SIGKILL);
    wait();
  }
  int wait() {
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    m_started = false;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t m_pid = 0;
  bool m_started = false;
};

// False once the other end is closed.
bool readSome(const FileDescriptor& from, std::string& to) {
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
  if (count > 0) to.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

ProgramResult runProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::pair<std::string, std::string>>& variables,
                         std::chrono::seconds limit, const JobContext& job) {
  ProgramResult result;
  Pipe output;
  Pipe errors;
  if (!output.writing.valid() || !errors.writing.valid()) return result;
  Child child(arguments, environmentWith(variables), output, errors);
  result.started = child.started();
  if (!result.started) return result;
  output.writing.close();
  errors.writing.close();
  const auto end = std::chrono::steady_clock::now() + limit;
  std::array<pollfd, 2> ends{
      {{output.reading.get(), POLLIN, 0}, {errors.reading.get(), POLLIN, 0}}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    job.throwIfCancelled();
    if (std::chrono::steady_clock::now() > end) return result;
    ::poll(ends.data(), ends.size(), kPatienceMs);
    // poll() passes over negative ones.
    if (ends[0].revents != 0 && !readSome(output.reading, result.output)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !readSome(errors.reading, result.errors)) ends[1].fd = -1;
    ends[0].revents = ends[1].revents = 0;
  }
  result.status = child.wait();
  return result;
}

}  // namespace quantscope
