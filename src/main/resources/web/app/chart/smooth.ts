// Each point as the mean of all points around it, weighted less the further away they are, on both sides alike: what is
// smoothed does not lag behind what it is made of.
//
// The weight falls with the distance in x, as a share of the range that is shown, and not with the number of points: a
// curve looks the same however finely it is sampled.

import type { Series } from "./series";

const UNITS_OF_RANGE = 400; // `stays` is what a point weighs at the distance of one of them

// stays: 0 changes nothing, below 1. Values that are not finite are passed over and stay.
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

// Keeps what it has smoothed for as long as the series is the same.
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
