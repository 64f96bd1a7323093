// The loss curve of a job in the range that is shown, kept up as it grows: what is fetched again is what is new.

import { api } from "../api/api";
import type { CurveAnswer } from "../api/types";
import { numberOf } from "../format";

export interface Curve {
  firstStep: number[];
  lastStep: number[];
  min: number[];
  mean: number[];
  max: number[];
  millis: number[]; // empty where the dashboard does not tell
  notFinite: number[];
}

export interface StepRange {
  from: number;
  to: number;
}

const emptyCurve = (): Curve => ({
  firstStep: [],
  lastStep: [],
  min: [],
  mean: [],
  max: [],
  millis: [],
  notFinite: [],
});

export class GrowingCurve {
  curve: Curve = emptyCurve();
  private range: StepRange | null = null;
  private loaded = false;
  private attempt = 0;

  constructor(readonly job: string) {}

  // A range is read anew, and so is a curve of which a newer attempt tells some steps again.
  async read(range: StepRange | null, attempt: number, points: number, signal: AbortSignal): Promise<void> {
    const same =
      this.loaded && attempt === this.attempt && range?.from === this.range?.from && range?.to === this.range?.to;
    if (same && this.curve.lastStep.length <= 2 * points) {
      const next = (this.curve.lastStep.at(-1) ?? 0) + 1;
      if (range && next > range.to) return;
      append(
        this.curve,
        await api.curve(this.job, { from: Math.max(next, range?.from ?? 1), to: range?.to, points }, signal),
      );
    } else {
      const whole = emptyCurve();
      append(whole, await api.curve(this.job, { from: range?.from, to: range?.to, points }, signal));
      this.curve = whole;
      this.range = range;
      this.attempt = attempt;
      this.loaded = true;
    }
  }
}

function append(curve: Curve, answer: CurveAnswer): void {
  curve.firstStep.push(...answer.firstStep);
  curve.lastStep.push(...answer.lastStep);
  curve.min.push(...answer.min.map(numberOf));
  curve.mean.push(...answer.mean.map(numberOf));
  curve.max.push(...answer.max.map(numberOf));
  curve.millis.push(...(answer.millis ?? []));
  curve.notFinite.push(...answer.notFinite);
}
