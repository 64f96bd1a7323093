// The loss curve of a job in the visible range; as it grows, only new points are read.

import { curve as ask } from "../api/curves";
import type { CurveAnswer } from "../api/types";
import { numberOf } from "../format";

export interface Curve {
  firstStep: number[];
  lastStep: number[];
  min: number[];
  mean: number[];
  max: number[];
  millis: number[]; // empty: unknown
  count: number[]; // of losses
  notFinite: number[];
}

export interface StepRange {
  from: number;
  to: number;
}

const ALL: StepRange = { from: 1, to: Number.MAX_SAFE_INTEGER };
const MOST_TIMES = 2; // consecutive points are merged above this multiple of the requested number

const emptyCurve = (): Curve => ({
  firstStep: [],
  lastStep: [],
  min: [],
  mean: [],
  max: [],
  millis: [],
  count: [],
  notFinite: [],
});

export class GrowingCurve {
  curve: Curve = emptyCurve();
  private range: StepRange | null = null; // null: nothing was read
  private attempt = 0;

  constructor(readonly job: string) {}

  // A new range is read completely, and so is a curve in which a newer attempt repeats steps.
  async read(range: StepRange | null, attempt: number, points: number, signal: AbortSignal): Promise<void> {
    const { from, to } = range ?? ALL;
    const grows = this.attempt === attempt && this.range?.from === from && this.range.to === to;
    if (!grows) {
      const whole = emptyCurve();
      append(whole, await ask({ job: this.job, from, to }, points, signal));
      this.curve = whole;
      this.range = { from, to };
      this.attempt = attempt;
      return;
    }
    const next = Math.max((this.curve.lastStep.at(-1) ?? 0) + 1, from);
    if (next > to) return;
    append(this.curve, await ask({ job: this.job, from: next, to }, points, signal));
    if (this.curve.lastStep.length > MOST_TIMES * points) this.curve = thinned(this.curve, points);
  }
}

// Later points are finer. Consecutive points are merged if the result is no wider than the points of a complete read;
// only the steps of their extrema are lost.
function thinned(curve: Curve, points: number): Curve {
  const { firstStep, lastStep } = curve;
  const width = Math.ceil((lastStep.at(-1)! - firstStep[0]! + 1) / points);
  const thin = emptyCurve();
  for (let i = 0, end = 0; i < firstStep.length; i = end) {
    for (end = i + 1; end < firstStep.length && lastStep[end]! - firstStep[i]! < width;) end++;
    merge(curve, i, end, thin);
  }
  return thin;
}

// Merges the points from one (inclusive) to another (exclusive).
function merge(curve: Curve, from: number, end: number, into: Curve): void {
  let [min, max, sum, finite, count, notFinite] = [Number.NaN, Number.NaN, 0, 0, 0, 0];
  for (let i = from; i < end; i++) {
    const weight = curve.count[i]! - curve.notFinite[i]!;
    count += curve.count[i]!;
    notFinite += curve.notFinite[i]!;
    if (weight === 0) continue;
    min = finite === 0 ? curve.min[i]! : Math.min(min, curve.min[i]!);
    max = finite === 0 ? curve.max[i]! : Math.max(max, curve.max[i]!);
    sum += weight * curve.mean[i]!;
    finite += weight;
  }
  into.firstStep.push(curve.firstStep[from]!);
  into.lastStep.push(curve.lastStep[end - 1]!);
  into.min.push(min);
  into.mean.push(finite === 0 ? Number.NaN : sum / finite);
  into.max.push(max);
  into.millis.push(...curve.millis.slice(end - 1, end));
  into.count.push(count);
  into.notFinite.push(notFinite);
}

function append(curve: Curve, answer: CurveAnswer): void {
  curve.firstStep.push(...answer.firstStep);
  curve.lastStep.push(...answer.lastStep);
  curve.min.push(...answer.min.map(numberOf));
  curve.mean.push(...answer.mean.map(numberOf));
  curve.max.push(...answer.max.map(numberOf));
  curve.millis.push(...(answer.millis ?? []));
  curve.count.push(...answer.count);
  curve.notFinite.push(...answer.notFinite);
}
