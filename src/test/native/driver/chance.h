// What a GPU leaves open, which block runs first and which of two nodes, a seed decides here: another order at each run,
// and the same orders again with the same seed (TRAINYARD_FAKE_SEED).
#pragma once

#include <cstdint>
#include <numeric>

namespace trainyard {

struct Context;

// Numbers by SplitMix64 (Steele, Lea, Flood 2014).
class Chance {
  public:
    explicit Chance(uint64_t state) : state(state) {}

    uint64_t next() {
        uint64_t mixed = state += 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

    uint64_t below(uint64_t limit) { return next() % limit; }

  private:
    uint64_t state;
};

// Of the next run on this device. By device, because those of several run on several threads.
Chance nextChance(Context& context);

// The numbers below count, each once: it goes round in steps that share no factor with count.
class Order {
  public:
    Order(uint64_t count, Chance& chance) : count(count), at(chance.below(count)) {
        do {
            step = 1 + chance.below(count);
        } while (std::gcd(step, count) != 1);
    }

    uint64_t next() {
        uint64_t given = at;
        at += step;
        if (at >= count) at -= count;
        return given;
    }

  private:
    uint64_t count, at, step;
};

}  // namespace trainyard
