// The data of a curve in a chart.

export interface Series {
  name: string;
  colour: number; // index in the palette
  x: Float64Array; // ascending
  y: Float64Array; // NaN: a gap
  envelope: Envelope | null;
  notFinite: Float64Array; // x where a value was NaN or infinite
  dots: boolean; // for few points
  describe(i: number): string[]; // the exact values of a point
}

// The minimum and maximum of each point.
export interface Envelope {
  low: Float64Array;
  high: Float64Array;
}

export interface Mark {
  x: number;
  text: string;
  best?: boolean; // a line across the chart
}

export interface Range {
  from: number;
  to: number;
}

// The point nearest to x; -1 without points.
export function nearest(xs: Float64Array, x: number): number {
  if (xs.length === 0) return -1;
  const right = firstFrom(xs, x);
  if (right === 0) return 0;
  if (right === xs.length) return xs.length - 1;
  return xs[right]! - x < x - xs[right - 1]! ? right : right - 1;
}

// The first point at or after x; the number of points if there is none.
export function firstFrom(xs: Float64Array, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
