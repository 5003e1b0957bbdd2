// Work is shared by messages between single ranks, and every wait polls and sleeps in between: what
// MPI's own waits do is to spin, which takes a processor from the ranks that work. Only one thread
// of a rank talks to MPI at a time. The first rank answers the others in a thread of its own while
// it works itself. A rank may die while the launcher lets the others live (mpirun
// --enable-recovery): whoever waits for a rank looks whether its process is there, the first one
// hands its items out again, and nobody calls what waits for all, as MPI_Finalize does.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files/byte_archive.h"
#include "rank_ledger.h"
#include "rank_message.h"
#include "rank_processes.h"
#include "rank_session.h"

namespace quantscope::cli {
namespace {

// In which the launcher passes on what a rank has written, before it ends all.
constexpr auto kUntilRead = std::chrono::milliseconds(300);
constexpr auto kNap = std::chrono::milliseconds(2);
constexpr int kFirst = 0;
// How often a rank that waits looks for the process that it waits for.
constexpr int kNapsBetweenLooks = 50;

enum Tag : int {
  kResults = 1,  // to the first rank: what is done; asks for more
  kWork = 2,     // from it: items; none = there are no more
  kAll = 3,      // from it: the results of all
  kEnd = 4,      // from it: no work will come
};

// Waits for a message's way; false where the other rank dies before it is through.
bool passes(MPI_Request& request, MPI_Status* status, const RankProcesses& processes, int other) {
  for (int nap = 1;; ++nap) {
    int through = 0;
    MPI_Test(&request, &through, status);
    if (through != 0) return true;
    if (nap % kNapsBetweenLooks == 0 && processes.dead(other)) return false;
    std::this_thread::sleep_for(kNap);
  }
}

// What MPI may still read or write of a message that did not get through.
std::string& abandonedBytes(std::string bytes) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(bytes));
}

bool send(int to, Tag tag, const RankMessage& message, const RankProcesses& processes) {
  std::string bytes = bytesOf(message);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD,
            &request);
  if (passes(request, MPI_STATUS_IGNORE, processes, to)) return true;
  abandonedBytes(std::move(bytes));
  return false;
}

// Something that has come; none yet.
std::optional<std::pair<int, RankMessage>> receive(int from, Tag tag,
                                                   const RankProcesses& processes) {
  int there = 0;
  MPI_Status status;
  MPI_Message coming = MPI_MESSAGE_NULL;
  MPI_Improbe(from, tag, MPI_COMM_WORLD, &there, &coming, &status);
  if (there == 0) return std::nullopt;
  const int source = status.MPI_SOURCE;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Imrecv(bytes.data(), size, MPI_BYTE, &coming, &request);
  if (!passes(request, &status, processes, source)) {
    abandonedBytes(std::move(bytes));
    return std::nullopt;
  }
  const BytesOf of{"the messages of a rank", "another rank", "run it again"};
  ByteReader reader(bytes, of);
  std::pair<int, RankMessage> received{source, {}};
  carry(reader, received.second);
  reader.requireEnd();
  return received;
}

[[noreturn]] void failWithoutFirst() {
  throw Error(ErrorCode::Io, "the first rank has ended before its work was done", {},
              "run it again, with --resume to keep what is measured");
}

RankMessage await(Tag tag, const std::function<bool()>& cancelled, const RankProcesses& processes) {
  for (int nap = 1;; ++nap) {
    if (auto received = receive(kFirst, tag, processes)) return std::move(received->second);
    if (cancelled && cancelled()) throw Cancelled();
    if (nap % kNapsBetweenLooks == 0 && processes.dead(kFirst)) failWithoutFirst();
    std::this_thread::sleep_for(kNap);
  }
}

void work(RankMessage& message, const Ranks::Run& run) {
  const std::vector<std::size_t> items(message.items.begin(), message.items.end());
  message.results = run(items);
}

class MpiSession : public RankSession {
 public:
  MpiSession() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      throw Error(ErrorCode::UnsupportedOperation, "this MPI cannot be called from two threads", {},
                  "use another MPI, or share the work with --shard");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m_count);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, m_rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &m_countHere);
    meet(here);
    MPI_Comm_free(&here);
  }
  ~MpiSession() override = default;

  std::size_t rank() const override { return static_cast<std::size_t>(m_rank); }
  std::size_t count() const override { return static_cast<std::size_t>(m_count); }
  std::size_t countHere() const override { return static_cast<std::size_t>(m_countHere); }

  std::vector<std::string> share(const std::vector<std::size_t>& items, const Run& run,
                                 const Arrived& arrived,
                                 const std::function<bool()>& cancelled) override {
    return isFirst() ? lead(items, run, arrived, cancelled) : follow(run, cancelled);
  }

  // MPI_Finalize waits for all ranks, the dead ones too.
  void leave() override {
    RankMessage end;
    if (isFirst()) {
      for (const int other : others()) {
        if (m_processes.dead(other)) m_dead.insert(other);
      }
      end.items.assign(m_dead.begin(), m_dead.end());
      for (const int other : others()) send(other, kEnd, end, m_processes);
    } else {
      end = await(kEnd, {}, m_processes);
    }
    if (end.items.empty()) MPI_Finalize();
  }

  void abandon(int status) override {
    std::this_thread::sleep_for(kUntilRead);
    MPI_Abort(MPI_COMM_WORLD, status);
  }

 private:
  void meet(MPI_Comm here) {
    RankProcess own = thisProcess(m_rank);
    std::vector<RankProcess> all(static_cast<std::size_t>(m_countHere));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, here);
    m_processes = RankProcesses(all, own, m_count);
  }

  // Those that are not known to be dead.
  std::set<int> others() const {
    std::set<int> living;
    for (int other = 1; other < m_count; ++other) {
      if (!m_dead.contains(other)) living.insert(other);
    }
    return living;
  }

  std::vector<std::string> lead(const std::vector<std::size_t>& items, const Run& run,
                                const Arrived& arrived, const std::function<bool()>& cancelled) {
    RankLedger ledger(items, count(), arrived);
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    std::thread answering([&] {
      try {
        answer(ledger, failed, cancelled);
      } catch (...) {
        failure = std::current_exception();
        failed = true;
      }
    });
    try {
      workUntilComplete(ledger, run, failed);
    } catch (...) {
      failed = true;
      answering.join();
      throw;
    }
    answering.join();
    if (failure) std::rethrow_exception(failure);
    RankMessage all;
    all.results = ledger.results();
    for (const int other : others()) {
      if (!send(other, kAll, all, m_processes)) m_dead.insert(other);
    }
    return std::move(ledger.results());
  }

  // What a rank has died with comes back when nothing else is open.
  static void workUntilComplete(RankLedger& ledger, const Run& run,
                                const std::atomic<bool>& failed) {
    while (!failed && !ledger.complete()) {
      RankMessage own = ledger.next(kFirst);
      if (own.items.empty()) {
        std::this_thread::sleep_for(kNap);
        continue;
      }
      work(own, run);
      ledger.take(own);
    }
  }

  // Until every other rank knows that there is no more.
  void answer(RankLedger& ledger, const std::atomic<bool>& failed,
              const std::function<bool()>& cancelled) {
    std::set<int> working = others();
    const auto bury = [&](int rank) {
      ledger.giveBack(rank);
      m_dead.insert(rank);
      working.erase(rank);
    };
    for (int nap = 1; !working.empty() && !failed;) {
      const auto received = receive(MPI_ANY_SOURCE, kResults, m_processes);
      if (!received) {
        if (cancelled && cancelled()) throw Cancelled();
        if (nap++ % kNapsBetweenLooks == 0) {
          for (const int rank : std::set<int>(working)) {
            if (m_processes.dead(rank)) bury(rank);
          }
        }
        std::this_thread::sleep_for(kNap);
        continue;
      }
      ledger.take(received->second);
      const int rank = received->first;
      if (!working.contains(rank)) continue;
      const RankMessage next = ledger.next(rank);
      if (!send(rank, kWork, next, m_processes)) {
        bury(rank);
      } else if (next.items.empty()) {
        working.erase(rank);
      }
    }
  }

  std::vector<std::string> follow(const Run& run, const std::function<bool()>& cancelled) const {
    RankMessage message;
    for (;;) {
      if (!send(kFirst, kResults, message, m_processes)) failWithoutFirst();
      message = await(kWork, cancelled, m_processes);
      if (message.items.empty()) return await(kAll, cancelled, m_processes).results;
      work(message, run);
      message.items.clear();
    }
  }

  int m_rank = 0;
  int m_count = 1;
  int m_countHere = 1;
  RankProcesses m_processes;
  std::set<int> m_dead;  // known to the first rank
};

}  // namespace

std::unique_ptr<RankSession> joinRanks() {
  if (launchedRanks() == 1) return nullptr;
  return std::make_unique<MpiSession>();
}

}  // namespace quantscope::cli
