// The hold model of bench/engine.ts on std::priority_queue: the same event record, FIFO among equal times.
// Usage: priority-queue DELAYS STARTS WARM_HOLDS HOLDS; both files are of little-endian doubles. DELAYS has a power of two
// of them, used in turn; STARTS the times of the first events. For each byte on stdin it runs HOLDS more and prints the
// seconds that they took and the order-sensitive hash of all pops so far.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <queue>
#include <vector>

struct Event {
  int64_t time;
  uint64_t sequence;
  double c;
  int32_t a;
  int32_t b;
  int32_t handler;
};

struct Later {
  bool operator()(const Event &left, const Event &right) const {
    return left.time != right.time ? left.time > right.time : left.sequence > right.sequence;
  }
};

static double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static std::vector<int64_t> readTimes(const char *path) {
  std::vector<int64_t> times;
  FILE *file = std::fopen(path, "rb");
  if (!file) return times;
  double time;
  while (std::fread(&time, sizeof time, 1, file) == 1) times.push_back(static_cast<int64_t>(time));
  std::fclose(file);
  return times;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  const std::vector<int64_t> delays = readTimes(arguments[1]);
  const std::vector<int64_t> starts = readTimes(arguments[2]);
  if (delays.empty() || starts.empty()) return 2;
  const size_t mask = delays.size() - 1;
  const int64_t warm = std::atoll(arguments[3]);
  const int64_t holds = std::atoll(arguments[4]);

  std::vector<Event> memory;
  memory.reserve(starts.size() + 1);
  std::priority_queue<Event, std::vector<Event>, Later> queue(Later(), std::move(memory));
  uint64_t sequence = 0;
  size_t next = 0;
  uint32_t hash = 0;
  for (const int64_t start : starts) {
    queue.push({start, sequence, 0.0, static_cast<int32_t>(sequence), 0, 1});
    sequence++;
  }
  auto run = [&](int64_t rounds) {
    for (int64_t round = 0; round < rounds; round++) {
      const Event event = queue.top();
      queue.pop();
      hash = (hash ^ static_cast<uint32_t>(event.a)) * 0x01000193u + static_cast<uint32_t>(event.time);
      queue.push({event.time + delays[next++ & mask], sequence++, event.c, event.a, event.b, event.handler});
    }
  };
  run(warm);
  while (std::getchar() != EOF) {
    const double start = processorSeconds();
    run(holds);
    std::printf("%.9f %u\n", processorSeconds() - start, hash);
    std::fflush(stdout);
  }
}
