// Runs blocks of CUDA threads on one thread of the host, in an order that the launch's chance gives: a kernel that
// relies on another computes something else from time to time, and so it would on a GPU.
#include <algorithm>
#include <memory>
#include <sys/mman.h>

#include "../driver/fake.h"
#include "host_cuda.h"

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace trainyard {

__thread Thread currentThread __attribute__((tls_model("initial-exec")));

// Leaves a stack where it stands, and goes on with another where that was left. What a called function keeps for its
// caller is all that a stack has to keep, for this is a call: so it is several times as fast as _setjmp and _longjmp, and
// a kernel of 1024 threads changes stacks 2048 times at each barrier.
extern "C" void trainyardChangeStack(void** left, void* to) __attribute__((visibility("hidden")));
asm(R"(
    .text
    .globl trainyardChangeStack
    .hidden trainyardChangeStack
    .type trainyardChangeStack, @function
trainyardChangeStack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size trainyardChangeStack, .-trainyardChangeStack
)");

namespace {

constexpr size_t STACK_BYTES = 64 << 10;
constexpr unsigned MAX_BLOCK_THREADS = 1024;
constexpr unsigned WARP_THREADS = 32;
constexpr size_t MAX_DECLARED_BYTES = 48 << 10;  // of shared memory, by all declarations of a kernel
constexpr int SHARED_BYTE = 0xFF;

constexpr unsigned KEPT_REGISTERS = 6;  // by trainyardChangeStack

// Where a thread of a block is.
enum class At { READY, WARP, BLOCK, END };

// A thread of a block with its own stack.
struct Fibre {
    void* stack = nullptr;  // where it was left; null before it is first entered
    At at = At::READY;
    unsigned number = 0;  // among the block's threads
    Grid threadIdx{};
    uint64_t shown[2];  // values for its warp: the current and the previous one
    unsigned turn = 0;
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
    // For another block: clears the previous block's values.
    void begin() {
        declarations.clear();
        used = 0;
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

  private:
    alignas(256) char memory[MAX_DECLARED_BYTES];
    size_t used = 0;
    std::vector<std::pair<const void*, size_t>> declarations;
};

// Thrown by a barrier to which the warp's first thread does not come.
struct MissedBarrier {};

class Block;

// The block that runs or has run last.
__thread Block* running __attribute__((tls_model("initial-exec"))) = nullptr;

class Block {
  public:
    ~Block() {
        if (stacks != nullptr) munmap(stacks, MAX_BLOCK_THREADS * STACK_BYTES);
    }

    void begin(Grid newBlockIdx, const Launch& launch, Chance& chance, void (*newBody)(void* const*),
               void* const* newParameters) {
        blockIdx = newBlockIdx;
        body = newBody;
        parameters = newParameters;
        shared.begin();
        Grid size = launch.block;
        count = size.x * size.y * size.z;
        unsigned warps = (count + WARP_THREADS - 1) / WARP_THREADS;
        Order order(warps, chance);
        Order lanes(WARP_THREADS, chance);
        unsigned slot = 0;
        for (unsigned w = 0; w < warps; w++) {
            unsigned first = static_cast<unsigned>(order.next()) * WARP_THREADS;
            for (unsigned l = 0; l < WARP_THREADS; l++) {
                unsigned thread = first + static_cast<unsigned>(lanes.next());
                if (thread >= count) continue;
                slots[slot].at = At::READY;
                slots[slot].turn = 0;
                slots[slot].number = thread;
                slots[slot].threadIdx = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
                slotOf[thread] = slot++;
            }
        }
        for (unsigned& some : numberAt) some = 0;
        numberAt[static_cast<unsigned>(At::READY)] = count;
    }

    // Runs it until all of its threads have ended; false if they do not come together where one waits for another.
    bool run() {
        running = this;
        if (!runFirst()) return false;
        for (;;) {
            for (unsigned t = 0; t < count; t++) {
                if (slots[t].at == At::READY) resume(slots[t]);
            }
            if (!none(At::WARP) && !runWarps()) return false;
            if (!all(At::BLOCK)) return all(At::END);
            release(At::BLOCK);
        }
    }

    bool all(At at) const { return numberAt[static_cast<unsigned>(at)] == count; }

    bool none(At at) const { return numberAt[static_cast<unsigned>(at)] == 0; }

    // Lets the waiting threads continue when it runs next.
    void release(At at) {
        for (unsigned t = 0; t < count; t++) {
            if (slots[t].at == at) move(slots[t], At::READY);
        }
    }

    // Abandons the threads; their stacks are reset.
    void abandon() {
        for (unsigned t = 0; t < count; t++) slots[t].stack = nullptr;
    }

    bool inside() const { return current != nullptr; }

    // On a fibre's stack: back to the caller of resume.
    void wait(At at) {
        Fibre* self = current;
        move(*self, at);
        trainyardChangeStack(&self->stack, caller);
    }

    // What the thread of this number in the warp shows, once all of the warp show something. Who has come to the next
    // show has read this one: so there are two.
    uint64_t show(uint64_t bits, unsigned lane) {
        unsigned turn = current->turn++ % 2;
        current->shown[turn] = bits;
        unsigned other = current->number / WARP_THREADS * WARP_THREADS + lane % WARP_THREADS;
        wait(At::WARP);
        return slots[slotOf[other < count ? other : current->number]].shown[turn];
    }

    unsigned lane() const { return current->number % WARP_THREADS; }

    SharedMemory shared;

  private:
    void move(Fibre& fibre, At to) {
        numberAt[static_cast<unsigned>(fibre.at)]--;
        numberAt[static_cast<unsigned>(to)]++;
        fibre.at = to;
    }

    // The first thread of each warp runs on a stack of its own: if it ends and has waited for nobody, so must the
    // others of its warp, which then need none.
    bool runFirst() {
        unsigned warp = MAX_BLOCK_THREADS;
        bool alone = false;
        try {
            for (unsigned t = 0; t < count; t++) {
                if (slots[t].number / WARP_THREADS != warp) {
                    warp = slots[t].number / WARP_THREADS;
                    resume(slots[t]);
                    alone = slots[t].at == At::END;
                } else if (alone) {
                    currentThread.threadIdx = slots[t].threadIdx;
                    body(parameters);
                    move(slots[t], At::END);
                } else {
                    resume(slots[t]);
                }
            }
            return true;
        } catch (const MissedBarrier&) {
            return false;
        }
    }

    // Runs each warp until none of its threads waits for the others of the warp.
    bool runWarps() {
        for (unsigned begin = 0; begin < count; begin += WARP_THREADS) {
            unsigned end = std::min(begin + WARP_THREADS, count);
            for (;;) {
                unsigned waiting = 0;
                for (unsigned n = begin; n < end; n++) waiting += slots[slotOf[n]].at == At::WARP;
                if (waiting == 0) break;
                if (waiting < end - begin) return false;
                for (unsigned n = begin; n < end; n++) resume(slots[slotOf[n]]);
            }
        }
        return true;
    }

    void resume(Fibre& fibre) {
        current = &fibre;
        move(fibre, At::READY);
        currentThread.threadIdx = fibre.threadIdx;
        currentThread.blockIdx = blockIdx;
        if (fibre.stack == nullptr) fibre.stack = newStack(fibre);
        trainyardChangeStack(&caller, fibre.stack);
        current = nullptr;
    }

    // As if `loop` had left it when it was called.
    void* newStack(const Fibre& fibre) {
        if (stacks == nullptr) {
            void* mapped = mmap(nullptr, MAX_BLOCK_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            stacks = static_cast<char*>(mapped);
        }
        auto* top = reinterpret_cast<void**>(stacks + (&fibre - slots + 1) * STACK_BYTES);
        *--top = nullptr;  // where `loop` would return to; it never does
        *--top = reinterpret_cast<void*>(&Block::loop);
        for (unsigned i = 0; i < KEPT_REGISTERS; i++) *--top = nullptr;
        return top;
    }

    // The first function of each stack: one CUDA thread after another.
    static void loop() {
        Block& own = *running;
        for (;;) {
            own.body(own.parameters);
            own.wait(At::END);
        }
    }

    Grid blockIdx{};
    unsigned count = 0;
    Fibre slots[MAX_BLOCK_THREADS];
    unsigned slotOf[MAX_BLOCK_THREADS];
    char* stacks = nullptr;
    unsigned numberAt[4];  // of its threads, at each At
    void* caller = nullptr;  // its stack, while a fibre runs
    Fibre* current = nullptr;
    void (*body)(void* const*) = nullptr;
    void* const* parameters = nullptr;
};

// Of this thread of the host. Large, so that only threads that run kernels have one.
thread_local std::unique_ptr<Block> ownBlock;

void waitAt(At at) {
    if (running == nullptr || !running->inside()) throw MissedBarrier{};
    running->wait(at);
}

}  // namespace

void barrier() { waitAt(At::BLOCK); }

uint64_t show(uint64_t bits, unsigned lane) {
    if (running == nullptr || !running->inside()) throw MissedBarrier{};
    return running->show(bits, lane);
}

unsigned laneOfWarp() {
    if (running == nullptr || !running->inside()) throw MissedBarrier{};
    return running->lane();
}

void* sharedMemory(const void* declaration, size_t bytes, size_t alignment) {
    return running->shared.at(declaration, bytes, alignment);
}

void runGrid(const Launch& launch, void (*body)(void* const*), void* const* parameters) {
    Grid grid = launch.grid;
    currentThread.gridDim = grid;
    currentThread.blockDim = launch.block;
    fault = {};
    Chance chance = launch.chance;
    if (!ownBlock) ownBlock = std::make_unique<Block>();
    uint64_t blocks = uint64_t(1) * grid.x * grid.y * grid.z;
    Order order(blocks, chance);
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t block = order.next();
        Grid index{static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
                   static_cast<unsigned>(block / grid.x / grid.y)};
        ownBlock->begin(index, launch, chance, body, parameters);
        if (!ownBlock->run()) {
            ownBlock->abandon();
            fault.note(CUDA_ERROR_LAUNCH_FAILED, "some threads of a block did not come to a barrier");
        }
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
