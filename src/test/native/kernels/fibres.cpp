// Runs blocks of CUDA threads on one thread of the host.
#include <csetjmp>
#include <memory>
#include <sys/mman.h>
#include <ucontext.h>

#include "host_cuda.h"

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace trainyard {

thread_local Thread currentThread;

namespace {

constexpr size_t STACK_BYTES = 64 << 10;
constexpr unsigned MAX_BLOCK_THREADS = 1024;

// A thread of a block with a stack of its own. makecontext enters the stack once; from then on it goes to and fro
// with _setjmp and _longjmp, which, other than swapcontext, make no system call.
struct Fibre {
    jmp_buf here;
    bool entered = false;
    bool done = false;
    Grid threadIdx{};
};

// Thrown by a barrier to which the block's first thread does not come.
struct MissedBarrier {};

class Fibres {
  public:
    ~Fibres() {
        if (stacks != nullptr) munmap(stacks, MAX_BLOCK_THREADS * STACK_BYTES);
    }

    // Runs a block; false if some of its threads ended where others wait. The first thread always runs on a stack
    // of its own: if it ends without a barrier, so must the others, which then need none.
    bool run(Grid block, void (*newBody)(void* const*), void* const* newParameters) {
        body = newBody;
        parameters = newParameters;
        unsigned count = block.x * block.y * block.z;
        for (unsigned t = 0; t < count; t++) {
            slots[t].done = false;
            slots[t].threadIdx = {t % block.x, t / block.x % block.y, t / block.x / block.y};
        }
        resume(0);
        return slots[0].done ? runOthers(count) : runTogether(count);
    }

    bool inside() const { return current != nullptr; }

    // On a fibre's stack: back to the caller of resume.
    void yield() {
        Fibre* self = current;
        if (_setjmp(self->here) == 0) _longjmp(caller, 1);
    }

  private:
    bool runOthers(unsigned count) {
        try {
            for (unsigned t = 1; t < count; t++) {
                currentThread.threadIdx = slots[t].threadIdx;
                body(parameters);
            }
            return true;
        } catch (const MissedBarrier&) {
            return false;
        }
    }

    bool runTogether(unsigned count) {
        for (unsigned begin = 1;; begin = 0) {  // from one barrier to the next
            unsigned ended = 0;
            for (unsigned t = begin; t < count; t++) {
                resume(t);
                ended += slots[t].done;
            }
            if (begin == 0 && ended == count) return true;
            if (ended > 0) {
                for (unsigned t = 0; t < count; t++) slots[t].entered = false;  // abandoned where they are
                return false;
            }
        }
    }

    void resume(unsigned t) {
        current = &slots[t];
        currentThread.threadIdx = current->threadIdx;
        if (_setjmp(caller) == 0) {
            if (current->entered) _longjmp(current->here, 1);
            enter(t);
        }
        current = nullptr;
    }

    void enter(unsigned t) {
        if (stacks == nullptr) {
            void* mapped = mmap(nullptr, MAX_BLOCK_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            stacks = static_cast<char*>(mapped);
        }
        slots[t].entered = true;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = stacks + t * STACK_BYTES;
        context.uc_stack.ss_size = STACK_BYTES;
        context.uc_link = nullptr;  // it never ends
        makecontext(&context, &Fibres::loop, 0);
        setcontext(&context);
    }

    // The first function of each stack: one CUDA thread after another.
    static void loop();

    Fibre slots[MAX_BLOCK_THREADS];
    char* stacks = nullptr;
    jmp_buf caller;
    Fibre* current = nullptr;
    void (*body)(void* const*) = nullptr;
    void* const* parameters = nullptr;
};

// Of this thread of the host; allocated only where a barrier is met.
thread_local std::unique_ptr<Fibres> ownFibres;

Fibres& fibres() {
    if (!ownFibres) ownFibres = std::make_unique<Fibres>();
    return *ownFibres;
}

void Fibres::loop() {
    for (;;) {
        Fibres& own = fibres();
        own.body(own.parameters);
        own.current->done = true;
        own.yield();
    }
}

}  // namespace

void barrier() {
    if (!ownFibres->inside()) throw MissedBarrier{};
    ownFibres->yield();
}

bool runGrid(Grid grid, Grid block, void (*body)(void* const*), void* const* parameters) {
    currentThread.gridDim = grid;
    currentThread.blockDim = block;
    for (unsigned z = 0; z < grid.z; z++) {
        for (unsigned y = 0; y < grid.y; y++) {
            for (unsigned x = 0; x < grid.x; x++) {
                currentThread.blockIdx = {x, y, z};
                if (!fibres().run(block, body, parameters)) return false;
            }
        }
    }
    return true;
}

}  // namespace trainyard
