// Runs blocks of CUDA threads on one thread of the host, in an order that the launch's chance gives: a kernel that
// relies on another computes something else from time to time, and so it would on a GPU.
#include <csetjmp>
#include <memory>
#include <sys/mman.h>
#include <ucontext.h>

#include "../driver/double.h"
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
constexpr size_t MAX_DECLARED_BYTES = 48 << 10;  // of shared memory, by all declarations of a kernel
constexpr int SHARED_BYTE = 0xFF;

// A thread of a block with a stack of its own. makecontext enters the stack once; from then on it goes to and fro
// with _setjmp and _longjmp, which, other than swapcontext, make no system call.
struct Fibre {
    jmp_buf here;
    bool entered = false;
    bool done = false;
    Grid threadIdx{};
};

// What the kernel that runs on this thread has done first that a GPU does not survive. Noted and not thrown: what runs on
// a fibre's stack cannot be unwound.
struct Fault {
    int status = CUDA_SUCCESS;
    std::string why;

    void note(int newStatus, std::string newWhy) {
        if (status == CUDA_SUCCESS) *this = {newStatus, std::move(newWhy)};
    }
};

thread_local Fault fault;

// Of one block.
class SharedMemory {
  public:
    // For another block: nobody finds what the last one wrote.
    void begin(size_t dynamicBytes) {
        declarations.clear();
        used = 0;
        dynamic.assign(dynamicBytes, SHARED_BYTE);
    }

    void* at(const void* declaration, size_t bytes, size_t alignment) {
        for (auto& [known, where] : declarations) {
            if (known == declaration) return memory + where;
        }
        size_t where = (used + alignment - 1) / alignment * alignment;
        if (where + bytes > MAX_DECLARED_BYTES) {
            fault.note(CUDA_ERROR_INVALID_IMAGE, "more than 48 KiB of shared memory are declared");
            where = 0;
        }
        used = where + bytes;
        std::memset(memory + where, SHARED_BYTE, bytes);
        declarations.emplace_back(declaration, where);
        return memory + where;
    }

    void* ofLaunch() { return dynamic.data(); }

  private:
    alignas(256) char memory[MAX_DECLARED_BYTES];
    size_t used = 0;
    std::vector<std::pair<const void*, size_t>> declarations;
    std::vector<char> dynamic;
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
    bool run(const Launch& launch, Chance& chance, void (*newBody)(void* const*), void* const* newParameters) {
        body = newBody;
        parameters = newParameters;
        shared.begin(launch.sharedBytes);
        Grid block = launch.block;
        unsigned count = block.x * block.y * block.z;
        Order order(count, chance);
        for (unsigned t = 0; t < count; t++) {
            unsigned thread = static_cast<unsigned>(order.next());
            slots[t].done = false;
            slots[t].threadIdx = {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
        }
        resume(0);
        return slots[0].done ? runOthers(count) : runTogether(count);
    }

    bool inside() const { return current != nullptr; }

    SharedMemory shared;

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

void* sharedMemory(const void* declaration, size_t bytes, size_t alignment) {
    return ownFibres->shared.at(declaration, bytes, alignment);
}

void* dynamicSharedMemory() { return ownFibres->shared.ofLaunch(); }

void runGrid(const Launch& launch, void (*body)(void* const*), void* const* parameters) {
    Grid grid = launch.grid;
    currentThread.gridDim = grid;
    currentThread.blockDim = launch.block;
    fault = {};
    Chance chance = launch.chance;
    uint64_t blocks = uint64_t(1) * grid.x * grid.y * grid.z;
    Order order(blocks, chance);
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t block = order.next();
        currentThread.blockIdx = {static_cast<unsigned>(block % grid.x),
                                  static_cast<unsigned>(block / grid.x % grid.y),
                                  static_cast<unsigned>(block / grid.x / grid.y)};
        bool together = fibres().run(launch, chance, body, parameters);
        if (!together) fault.note(CUDA_ERROR_LAUNCH_FAILED, "some threads of a block did not come to a barrier");
        if (fault.status != CUDA_SUCCESS) throw Failure{fault.status, fault.why};
    }
}

}  // namespace trainyard

// What g++'s -fsanitize=alignment calls where a pointer is used that its type's alignment does not divide. On a GPU that
// is a misaligned address. Of the data only the beginning is read: file, line and column.
extern "C" void __ubsan_handle_type_mismatch_v1(void* data, void* pointer) {
    struct Place {
        const char* file;
        unsigned line, column;
    };
    auto* place = static_cast<const Place*>(data);
    trainyard::fault.note(trainyard::CUDA_ERROR_MISALIGNED_ADDRESS,
                          std::string(place->file) + ":" + std::to_string(place->line) + ": misaligned address " +
                              std::to_string(reinterpret_cast<uintptr_t>(pointer)));
}
