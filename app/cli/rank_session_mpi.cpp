// Work is shared by messages between single ranks, and every wait polls and sleeps in between: what
// MPI's own waits do is to spin, which takes a processor from the ranks that work. Only one thread
// of a rank talks to MPI at a time. The first rank answers the others in a thread of its own while
// it works itself.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/files/byte_archive.h"
#include "rank_session.h"

namespace quantscope::cli {
namespace {

constexpr auto kNap = std::chrono::milliseconds(2);
constexpr int kFirst = 0;
// Enough to keep a rank's threads busy, few enough that all end at the same time.
constexpr std::size_t kMostAtOnce = 16;
constexpr std::size_t kChunksPerRank = 4;

enum Tag : int {
  kResults = 1,  // to the first rank: what is done; asks for more
  kWork = 2,     // from it: items; none = there are no more
  kAll = 3,      // from it: the results of all
  kEnd = 4,      // from it: no work will come
};

using Places = std::vector<std::uint64_t>;  // in the list of items

struct Message {
  Places places;
  std::vector<std::uint64_t> items;
  std::vector<std::string> results;
};

template <class Archive>
void carry(Archive& archive, Message& message) {
  carryAll(archive, message.places, message.items, message.results);
}

void send(int to, Tag tag, const Message& message) {
  const std::string bytes = bytesOf(message);
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

// Something that has come; none yet.
std::optional<std::pair<int, Message>> receive(int from, Tag tag) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
  const BytesOf of{"the messages of a rank", "another rank", "run it again"};
  ByteReader reader(bytes, of);
  std::pair<int, Message> received{status.MPI_SOURCE, {}};
  carry(reader, received.second);
  reader.requireEnd();
  return received;
}

Message await(Tag tag, const std::function<bool()>& cancelled) {
  for (;;) {
    if (auto received = receive(kFirst, tag)) return std::move(received->second);
    if (cancelled && cancelled()) throw Cancelled();
    std::this_thread::sleep_for(kNap);
  }
}

/// The first rank's list of open items and of results.
class Ledger {
 public:
  Ledger(const std::vector<std::size_t>& items, std::size_t ranks, const Ranks::Arrived& arrived)
      : m_items(items), m_arrived(arrived), m_left(ranks), m_results(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) m_left[i % ranks].push_back(i);
  }

  // Each rank has items of its own, as items at the same distance may share what they start from;
  // once it is through with them it takes some of the rank that has most. Larger pieces come first,
  // so that the last ones are small.
  Message next(int rank) {
    const std::lock_guard lock(m_mutex);
    std::deque<std::size_t>* left = &m_left[static_cast<std::size_t>(rank)];
    if (left->empty()) {
      left = &*std::ranges::max_element(m_left, {}, &std::deque<std::size_t>::size);
    }
    const std::size_t count = std::min(
        left->size(), std::clamp(left->size() / kChunksPerRank, std::size_t{1}, kMostAtOnce));
    Message message;
    for (std::size_t i = 0; i < count; ++i) {
      message.places.push_back(left->front());
      message.items.push_back(m_items[left->front()]);
      left->pop_front();
    }
    return message;
  }

  void take(const Message& message) {
    const std::lock_guard lock(m_mutex);
    for (std::size_t i = 0; i < message.results.size(); ++i) {
      m_results[message.places[i]] = message.results[i];
    }
    if (m_arrived && !message.results.empty()) m_arrived(message.results);
  }

  std::vector<std::string>& results() { return m_results; }

 private:
  const std::vector<std::size_t>& m_items;
  const Ranks::Arrived& m_arrived;
  std::mutex m_mutex;
  std::vector<std::deque<std::size_t>> m_left;  // places by rank
  std::vector<std::string> m_results;
};

void work(Message& message, const Ranks::Run& run) {
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

  void leave() override {
    if (isFirst()) {
      for (int other = 1; other < m_count; ++other) send(other, kEnd, {});
    } else {
      await(kEnd, {});
    }
    MPI_Finalize();
  }

  void abandon(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  std::vector<std::string> lead(const std::vector<std::size_t>& items, const Run& run,
                                const Arrived& arrived, const std::function<bool()>& cancelled) {
    Ledger ledger(items, count(), arrived);
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
      for (Message own = ledger.next(kFirst); !own.items.empty() && !failed;
           own = ledger.next(kFirst)) {
        work(own, run);
        ledger.take(own);
      }
    } catch (...) {
      failed = true;
      answering.join();
      throw;
    }
    answering.join();
    if (failure) std::rethrow_exception(failure);
    Message all;
    all.results = ledger.results();
    for (int other = 1; other < m_count; ++other) send(other, kAll, all);
    return std::move(ledger.results());
  }

  // Until every other rank knows that there is no more.
  void answer(Ledger& ledger, const std::atomic<bool>& failed,
              const std::function<bool()>& cancelled) const {
    for (int working = m_count - 1; working > 0 && !failed;) {
      const auto received = receive(MPI_ANY_SOURCE, kResults);
      if (!received) {
        if (cancelled && cancelled()) throw Cancelled();
        std::this_thread::sleep_for(kNap);
        continue;
      }
      ledger.take(received->second);
      const Message next = ledger.next(received->first);
      if (next.items.empty()) --working;
      send(received->first, kWork, next);
    }
  }

  static std::vector<std::string> follow(const Run& run, const std::function<bool()>& cancelled) {
    Message message;
    for (;;) {
      send(kFirst, kResults, message);
      message = await(kWork, cancelled);
      if (message.items.empty()) return await(kAll, cancelled).results;
      work(message, run);
      message.items.clear();
    }
  }

  int m_rank = 0;
  int m_count = 1;
  int m_countHere = 1;
};

}  // namespace

std::unique_ptr<RankSession> joinRanks() {
  if (launchedRanks() == 1) return nullptr;
  return std::make_unique<MpiSession>();
}

}  // namespace quantscope::cli
