// What the nodes of a graph move, counted where TRAINYARD_FAKE_COUNT is set: to 1 while a session is opened, when nothing
// is computed, then to 2 while a graph is launched, when kernels run and are counted.
#pragma once

#include <cstddef>

namespace trainyard {

struct Work;

constexpr int NOTHING_RUNS = 1, KERNELS_RUN = 2;

// One of these; 0: nothing is counted.
int counting();

// One node that runs. A kernel's bytes are those that it reads and those that it writes, each once; of other work those
// of the memory that it touches, scratch memory left out.
class Traffic {
  public:
    // depth: how many nodes of the graph come one after the other up to this one
    Traffic(const Work& work, size_t depth);
    ~Traffic();

  private:
    size_t bytes = 0;
    const char* name;
    size_t depth;
};

// A graph is launched: what was counted before is forgotten.
void beginTraffic();

}  // namespace trainyard
