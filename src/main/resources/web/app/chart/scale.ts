// Converts values to pixels and back, and computes ticks.

export interface Scale {
  toPixel(value: number): number; // NaN outside the scale's domain
  toValue(pixel: number): number;
  ticks(count: number): number[];
}

export function linearScale(from: number, to: number, start: number, end: number, steps?: readonly number[]): Scale {
  const perValue = (end - start) / (to - from || 1);
  return {
    toPixel: (value) => start + (value - from) * perValue,
    toValue: (pixel) => from + (pixel - start) / perValue,
    ticks: (count) => {
      const step = steps ? tickStepOf((to - from) / count, steps) : tickStep((to - from) / count);
      const first = Math.ceil(from / step - 1e-9);
      const last = Math.floor(to / step + 1e-9);
      return Array.from({ length: Math.max(0, Math.min(last - first + 1, 1000)) }, (_, i) => (first + i) * step);
    },
  };
}

// For values above 0.
export function logScale(from: number, to: number, start: number, end: number): Scale {
  const inner = linearScale(Math.log10(from), Math.log10(to), start, end);
  return {
    toPixel: (value) => (value > 0 ? inner.toPixel(Math.log10(value)) : Number.NaN),
    toValue: (pixel) => 10 ** inner.toValue(pixel),
    ticks: (count) => {
      const low = Math.floor(Math.log10(from));
      const high = Math.ceil(Math.log10(to));
      const stride = Math.max(1, Math.ceil((high - low) / count));
      const digits = high - low > 3 ? [1] : high - low > 1 ? [1, 2, 5] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
      const ticks: number[] = [];
      for (let exponent = low; exponent <= high; exponent += stride) {
        for (const digit of digits) {
          const value = digit * 10 ** exponent;
          if (value >= from * 0.999999 && value <= to * 1.000001) ticks.push(value);
        }
      }
      return ticks;
    },
  };
}

// The next 1, 2 or 5 times a power of ten.
function tickStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}

function tickStepOf(least: number, steps: readonly number[]): number {
  const largest = steps[steps.length - 1]!;
  return steps.find((step) => step >= least) ?? largest * tickStep(least / largest);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const TIME_STEPS: readonly number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * HOUR),
];
