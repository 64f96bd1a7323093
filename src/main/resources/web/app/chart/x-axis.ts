// The x axes of a loss curve, with the conversion from x to steps.

import { clock, duration, integer, tick } from "../format";
import type { Curve, StepRange } from "./curve";
import { TIME_STEPS } from "./scale";
import type { Range } from "./series";

export type XAxisName = "step" | "epoch" | "relative" | "wall";

export interface XAxis {
  name: XAxisName;
  label: string; // in the list of choices
  title: string; // below the chart
  format(value: number): string;
  steps?: readonly number[];
}

export const X_AXES: readonly XAxis[] = [
  { name: "step", label: "Step", title: "step", format: tick },
  { name: "epoch", label: "Epoch", title: "epochs", format: tick },
  {
    name: "relative",
    label: "Relative time",
    title: "time since the first step",
    format: (value) => (value === 0 ? "0" : Math.abs(value) < 1000 ? `${tick(value)} ms` : duration(value)),
    steps: TIME_STEPS,
  },
  { name: "wall", label: "Wall time", title: "time of day", format: clock, steps: TIME_STEPS },
];

export function xAxisOf(name: string | null): XAxis {
  return X_AXES.find((axis) => axis.name === name) ?? X_AXES[0]!;
}

// The x of each point; empty if the curve has no such data.
export function xOf(curve: Curve, axis: XAxisName, stepsPerEpoch: number, startMillis: number): Float64Array {
  const n = curve.firstStep.length;
  const timed = axis === "relative" || axis === "wall";
  if ((axis === "epoch" && !(stepsPerEpoch > 0)) || (timed && curve.millis.length !== n)) return new Float64Array(0);
  const x = new Float64Array(n);
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    const middle = (curve.firstStep[i]! + curve.lastStep[i]!) / 2;
    const value =
      axis === "step"
        ? middle
        : axis === "epoch"
          ? middle / stepsPerEpoch
          : curve.millis[i]! - (axis === "relative" ? startMillis : 0);
    // The losses of one event have one time; a clock may be set back.
    last = x[i] = Math.max(value, last);
  }
  return x;
}

// The steps of the points within a range of x; null if there are none.
export function stepsWithin(curve: Curve, x: Float64Array, range: Range): StepRange | null {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  x.forEach((value, i) => {
    if (value >= range.from && value <= range.to) {
      from = Math.min(from, curve.firstStep[i]!);
      to = Math.max(to, curve.lastStep[i]!);
    }
  });
  return to === 0 ? null : { from, to };
}

export function stepsInWords(first: number, last: number): string {
  return first === last ? `step ${integer(first)}` : `steps ${integer(first)} to ${integer(last)}`;
}
