// An exponential moving average, freed of its pull towards the first value.
//
// How much of the past stays falls with the distance in x, as a share of the range that is shown, and not with the number
// of points: a curve looks the same however finely it is sampled.

const POINTS_OF_WEIGHT = 200; // the weight is what stays from one of so many evenly spaced points to the next

// weight: 0 changes nothing, below 1. Values that are not finite are passed over and stay.
export function smooth(x: Float64Array, y: Float64Array, weight: number, range: number): Float64Array {
  if (weight <= 0 || range <= 0) return y;
  const smoothed = new Float64Array(y.length);
  let average = 0;
  let norm = 0;
  let lastX = Number.NaN;
  for (let i = 0; i < y.length; i++) {
    const value = y[i]!;
    if (!Number.isFinite(value)) {
      smoothed[i] = value;
      continue;
    }
    const distance = Number.isNaN(lastX) ? 0 : ((x[i]! - lastX) / range) * POINTS_OF_WEIGHT;
    const stays = Number.isNaN(lastX) ? 0 : weight ** distance;
    // What this point weighs is what its distance took from the past; the first one is all there is.
    const gained = Number.isNaN(lastX) ? 1 - weight : 1 - stays;
    average = stays * average + gained * value;
    norm = stays * norm + gained;
    smoothed[i] = norm > 0 ? average / norm : value;
    lastX = x[i]!;
  }
  return smoothed;
}
