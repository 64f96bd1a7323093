// The loss curve of a run as a series along the chosen x, complete or zoomed.

import type { JobSummary } from "../api/types";
import { exact, integer, moment } from "../format";
import { type Curve, GrowingCurve, type StepRange } from "./curve";
import type { Range, Series } from "./series";
import { type XAxis, stepsInWords, stepsWithin, xOf } from "./x-axis";

export class RunCurve {
  private readonly whole: GrowingCurve;
  private part: GrowingCurve | null = null;
  private cached: { of: string; series: Series } | null = null;

  constructor(
    readonly job: string,
    readonly colour: number,
  ) {
    this.whole = new GrowingCurve(job);
  }

  async read(job: JobSummary, axis: XAxis, zoom: Range | null, points: number, signal: AbortSignal): Promise<void> {
    await this.readCurves(job, axis, zoom, points, signal);
    this.cached = null;
  }

  private async readCurves(
    job: JobSummary,
    axis: XAxis,
    zoom: Range | null,
    points: number,
    signal: AbortSignal,
  ): Promise<void> {
    const timed = axis.name === "relative" || axis.name === "wall";
    if (!zoom || timed) await this.whole.read(null, job.attempt, points, signal);
    const steps = zoom && this.stepsOf(job, axis, zoom);
    if (!steps) {
      this.part = null;
      return;
    }
    const part = this.part ?? new GrowingCurve(this.job);
    await part.read(steps, job.attempt, points, signal);
    this.part = part;
  }

  get curve(): Curve {
    return (this.part ?? this.whole).curve;
  }

  private stepsOf(job: JobSummary, axis: XAxis, zoom: Range): StepRange | null {
    const range = (perX: number): StepRange => ({
      from: Math.max(1, Math.floor(zoom.from * perX)),
      to: Math.max(1, Math.ceil(zoom.to * perX)),
    });
    switch (axis.name) {
      case "step":
        return range(1);
      case "epoch":
        return range(stepsPerEpoch(job));
      case "relative":
      case "wall": {
        const { curve } = this.whole;
        return stepsWithin(curve, xOf(curve, axis.name, 0, job.startMillis), zoom);
      }
    }
  }

  // The same object until the data change.
  series(job: JobSummary, axis: XAxis): Series {
    const of = `${axis.name} ${stepsPerEpoch(job)} ${job.startMillis}`;
    if (this.cached?.of !== of) this.cached = { of, series: this.drawn(job, axis) };
    return this.cached.series;
  }

  private drawn(job: JobSummary, axis: XAxis): Series {
    const { curve } = this;
    const x = xOf(curve, axis.name, stepsPerEpoch(job), job.startMillis);
    const n = x.length;
    const bad = curve.notFinite.flatMap((count, i) => (count > 0 && i < n ? [x[i]!] : []));
    return {
      name: this.job,
      colour: this.colour,
      x,
      y: Float64Array.from(curve.mean.slice(0, n)),
      envelope: { low: Float64Array.from(curve.min.slice(0, n)), high: Float64Array.from(curve.max.slice(0, n)) },
      notFinite: Float64Array.from(bad),
      dots: false,
      describe: (i) => describe(curve, i),
    };
  }
}

export function stepsPerEpoch(job: JobSummary): number {
  return job.steps > 0 && job.epochs > 0 ? job.steps / job.epochs : 0;
}

function describe(curve: Curve, i: number): string[] {
  const [first, last] = [curve.firstStep[i]!, curve.lastStep[i]!];
  const lines = [stepsInWords(first, last)];
  if (Number.isNaN(curve.mean[i]!)) {
    lines.push(first === last ? "loss not finite" : "no finite loss");
  } else if (first === last) {
    lines.push(`loss ${exact(curve.mean[i]!)}`);
  } else {
    lines.push(`mean ${exact(curve.mean[i]!)}`, `least ${exact(curve.min[i]!)}`, `greatest ${exact(curve.max[i]!)}`);
    if (curve.notFinite[i]! > 0) lines.push(`${integer(curve.notFinite[i]!)} not finite`);
  }
  if (curve.millis[i]) lines.push(moment(curve.millis[i]));
  return lines;
}
