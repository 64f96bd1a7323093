// Replaces each point by the mean of the points around it, with weights that decrease with distance on both sides, so
// that the result does not lag.
//
// The weight depends on the distance in x as a share of the visible range, not on the number of points, so that a curve
// looks the same at every sampling.

import type { Series } from "./series";

const UNITS_OF_RANGE = 400; // `stays` is the weight at a distance of one unit

// stays: from 0 (no change) to below 1. Values that are not finite are skipped and do not change.
function smooth(x: Float64Array, y: Float64Array, stays: number, range: number): Float64Array {
  if (stays <= 0 || !(range > 0)) return y;
  const sums = new Float64Array(y.length);
  const weights = new Float64Array(y.length);
  const pass = (from: number, step: 1 | -1): void => {
    let sum = 0;
    let weight = 0;
    let lastX = x[from]!;
    for (let i = from; i >= 0 && i < y.length; i += step) {
      if (!Number.isFinite(y[i]!)) continue;
      const left = stays ** ((Math.abs(x[i]! - lastX) / range) * UNITS_OF_RANGE);
      lastX = x[i]!;
      sums[i]! += sum * left;
      weights[i]! += weight * left;
      sum = sum * left + y[i]!;
      weight = weight * left + 1;
    }
  };
  pass(0, 1);
  pass(y.length - 1, -1);
  return y.map((value, i) => (Number.isFinite(value) ? (sums[i]! + value) / (weights[i]! + 1) : value));
}

// Caches the result while the series is the same.
export class Smoother {
  private kept = new WeakMap<Series, Float64Array>();
  private stays = 0;
  private range = 0;

  of(stays: number, range: number): (series: Series) => Float64Array {
    if (stays !== this.stays || range !== this.range) this.kept = new WeakMap();
    this.stays = stays;
    this.range = range;
    return (series) => {
      const known = this.kept.get(series) ?? smooth(series.x, series.y, stays, range);
      this.kept.set(series, known);
      return known;
    };
  }
}
