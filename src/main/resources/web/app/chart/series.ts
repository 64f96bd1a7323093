// What a chart draws.

export interface Series {
  name: string;
  colour: number; // its place in the palette
  x: Float64Array; // rising
  y: Float64Array; // NaN: a gap
  envelope: Envelope | null;
  notFinite: Float64Array; // x where a value was NaN or infinite
  dots: boolean; // few points that each matter
  describe(i: number): string[]; // a point in words, exactly
}

// The least and the greatest value of each point.
export interface Envelope {
  low: Float64Array;
  high: Float64Array;
}

export interface Mark {
  x: number;
  text: string;
}

export interface Range {
  from: number;
  to: number;
}

// The point nearest to x; -1 where there is none.
export function nearest(xs: Float64Array, x: number): number {
  if (xs.length === 0) return -1;
  const right = firstFrom(xs, x);
  if (right === 0) return 0;
  if (right === xs.length) return xs.length - 1;
  return xs[right]! - x < x - xs[right - 1]! ? right : right - 1;
}

// The first point at x or after it; the number of points where there is none.
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
