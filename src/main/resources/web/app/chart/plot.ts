// The layout of a chart, and drawing it on a canvas.

import type { Palette } from "./palette";
import { type Scale, linearScale, logScale } from "./scale";
import { type Envelope, type Mark, type Range, type Series, firstFrom } from "./series";

const LEFT_LEAST = 34;
const RIGHT = 14;
const TOP = 14;
const BOTTOM = 40;
const FONT_SIZE = 12;
const CROSS = 3.5;
const MARK = 4.5;
const MOST_DOTS = 60;
const DENSE_PIXELS = 3; // between two points

export interface PlotSettings {
  series: readonly Series[];
  smoothed: (series: Series) => Float64Array; // the strong line
  marks: readonly Mark[];
  xRange: Range | null; // null: everything
  yRange: Range | null;
  log: boolean;
  xName: string;
  formatX: (value: number) => string;
  formatY: (value: number) => string;
  xSteps?: readonly number[];
  width: number;
  height: number;
}

export interface Plot {
  settings: PlotSettings;
  x: Scale;
  y: Scale;
  area: { left: number; top: number; right: number; bottom: number };
  xRange: Range;
}

export function xExtent(series: readonly Series[]): Range {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { x } of series) {
    if (x.length === 0) continue;
    from = Math.min(from, x[0]!);
    to = Math.max(to, x[x.length - 1]!);
  }
  if (from > to) return { from: 0, to: 1 };
  return from === to ? { from: from - 0.5, to: to + 0.5 } : { from, to };
}

// The range of visible values; on a log scale, of those above 0.
function yExtent(settings: PlotSettings, range: Range): Range {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  const take = (value: number): void => {
    if (!Number.isFinite(value) || (settings.log && value <= 0)) return;
    if (value < from) from = value;
    if (value > to) to = value;
  };
  for (const series of settings.series) {
    const end = Math.min(series.x.length, firstFrom(series.x, range.to) + 1);
    for (let i = Math.max(0, firstFrom(series.x, range.from) - 1); i < end; i++) {
      take(series.y[i]!);
      if (series.envelope) {
        take(series.envelope.low[i]!);
        take(series.envelope.high[i]!);
      }
    }
  }
  if (from > to) return settings.log ? { from: 0.1, to: 1 } : { from: 0, to: 1 };
  if (settings.log) return from === to ? { from: from / 2, to: to * 2 } : { from: from / 1.1, to: to * 1.1 };
  const pad = from === to ? Math.abs(from) / 10 || 0.5 : (to - from) * 0.04;
  return { from: from - pad, to: to + pad };
}

export function layOut(settings: PlotSettings, context: CanvasRenderingContext2D, palette: Palette): Plot {
  const xRange = settings.xRange ?? xExtent(settings.series);
  const yRange = settings.yRange ?? yExtent(settings, xRange);
  const bottom = settings.height - BOTTOM;
  const y = settings.log
    ? logScale(yRange.from, yRange.to, bottom, TOP)
    : linearScale(yRange.from, yRange.to, bottom, TOP);
  context.font = `${FONT_SIZE}px ${palette.font}`;
  const labels = yTicks(y, settings).map((value) => context.measureText(settings.formatY(value)).width);
  const left = Math.max(LEFT_LEAST, ...labels.map((width) => width + 10));
  const right = settings.width - RIGHT;
  return {
    settings,
    x: linearScale(xRange.from, xRange.to, left, right, settings.xSteps),
    y,
    area: { left, top: TOP, right, bottom },
    xRange,
  };
}

function yTicks(y: Scale, settings: PlotSettings): number[] {
  return y.ticks(Math.max(2, Math.floor((settings.height - TOP - BOTTOM) / 36)));
}

// Draws in short pieces, between which the page can handle events.
export function* drawing(plot: Plot, context: CanvasRenderingContext2D, palette: Palette): Generator<void> {
  const { settings, area } = plot;
  const smoothed = new Map<Series, Float64Array>();
  drawAxes(plot, context, palette);
  context.save();
  context.beginPath();
  context.rect(area.left, area.top - 6, area.right - area.left, area.bottom - area.top + 7);
  context.clip();
  context.lineJoin = "bevel"; // the fastest
  for (const series of settings.series) {
    if (series.envelope) drawEnvelope(plot, series, series.envelope, context, palette);
    yield;
  }
  for (const series of settings.series) {
    const values = settings.smoothed(series);
    smoothed.set(series, values);
    drawLine(plot, series, values, context, palette);
    yield;
  }
  context.restore();
  for (const series of settings.series) {
    drawDots(plot, series, smoothed.get(series)!, context, palette);
    drawNotFinite(plot, series, context, palette);
    yield;
  }
  drawMarks(plot, context, palette);
}

function drawAxes({ settings, x, y, area }: Plot, context: CanvasRenderingContext2D, palette: Palette): void {
  context.font = `${FONT_SIZE}px ${palette.font}`;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.quiet;
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of yTicks(y, settings)) {
    const pixel = Math.round(y.toPixel(value)) + 0.5;
    context.beginPath();
    context.moveTo(area.left, pixel);
    context.lineTo(area.right, pixel);
    context.stroke();
    context.fillText(settings.formatY(value), area.left - 8, pixel);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  let end = Number.NEGATIVE_INFINITY;
  for (const value of x.ticks(Math.max(2, Math.floor((area.right - area.left) / 85)))) {
    const text = settings.formatX(value);
    const half = context.measureText(text).width / 2;
    const middle = Math.min(Math.max(x.toPixel(value), area.left - 20 + half), settings.width - half - 1);
    if (middle - half < end + 8) continue;
    end = middle + half;
    context.fillText(text, middle, area.bottom + 7);
  }
  context.fillText(settings.xName, (area.left + area.right) / 2, area.bottom + 24);
}

// The visible points, and one beyond each edge.
function seen({ xRange }: Plot, series: Series): [number, number] {
  const first = Math.max(0, firstFrom(series.x, xRange.from) - 1);
  return [first, Math.min(series.x.length, firstFrom(series.x, xRange.to) + 1)];
}

// The envelope from minima to maxima. Points closer than a pixel are drawn as columns: a spike of one step is a pixel
// wide at every zoom, and columns take half the time of an outline.
function drawEnvelope(
  plot: Plot,
  series: Series,
  { low, high }: Envelope,
  context: CanvasRenderingContext2D,
  palette: Palette,
): void {
  const [first, end] = seen(plot, series);
  const { left, right, bottom } = plot.area;
  const toPixel = (value: number): number => {
    const place = plot.y.toPixel(value);
    return Number.isNaN(place) && value <= 0 ? bottom : place; // below a log scale
  };
  const dense = end - first > (right - left) / DENSE_PIXELS;
  context.fillStyle = context.strokeStyle = palette.colour(series.colour);
  for (let from = first; from < end;) {
    if (!Number.isFinite(low[from]!) || !Number.isFinite(high[from]!)) {
      from++;
      continue;
    }
    let to = from + 1;
    while (to < end && Number.isFinite(low[to]!) && Number.isFinite(high[to]!)) to++;
    const xs = series.x.subarray(from, to).map(plot.x.toPixel);
    const tops = high.subarray(from, to).map(toPixel);
    const bottoms = low.subarray(from, to).map(toPixel);
    if (dense) drawColumns(xs, tops, bottoms, context);
    else drawOutline(xs, tops, bottoms, context);
    from = to;
  }
  context.globalAlpha = 1;
}

// Points in the same pixel are one column, which extends to the previous one, so that the curve has no gaps.
function drawColumns(
  xs: Float64Array,
  tops: Float64Array,
  bottoms: Float64Array,
  context: CanvasRenderingContext2D,
): void {
  context.globalAlpha = 0.36;
  let [lastTop, lastBottom] = [tops[0]!, bottoms[0]!];
  for (let i = 0; i < xs.length;) {
    const x = Math.round(xs[i]!);
    let [top, bottom] = [tops[i]!, bottoms[i]!];
    for (i++; i < xs.length && Math.round(xs[i]!) === x; i++) {
      top = Math.min(top, tops[i]!);
      bottom = Math.max(bottom, bottoms[i]!);
    }
    const width = i < xs.length ? Math.round(xs[i]!) - x : 1;
    const [from, to] = [Math.round(Math.min(top, lastBottom)), Math.round(Math.max(bottom, lastTop))];
    context.fillRect(x, from, width, Math.max(1, to - from));
    [lastTop, lastBottom] = [top, bottom];
  }
}

function drawOutline(
  xs: Float64Array,
  tops: Float64Array,
  bottoms: Float64Array,
  context: CanvasRenderingContext2D,
): void {
  context.beginPath();
  for (let i = 0; i < xs.length; i++) context.lineTo(xs[i]!, tops[i]!);
  for (let i = xs.length - 1; i >= 0; i--) context.lineTo(xs[i]!, bottoms[i]!);
  context.closePath();
  context.globalAlpha = 0.2;
  context.fill();
  context.globalAlpha = 0.36;
  context.lineWidth = 1;
  context.stroke();
}

function drawLine(
  plot: Plot,
  series: Series,
  values: Float64Array,
  context: CanvasRenderingContext2D,
  palette: Palette,
): void {
  const [first, end] = seen(plot, series);
  context.strokeStyle = palette.colour(series.colour);
  context.lineWidth = 1.75;
  context.setLineDash([...palette.dash(series.colour)]);
  context.beginPath();
  let drawn = 0; // points since the last gap
  for (let i = first; i < end; i++) {
    const y = plot.y.toPixel(values[i]!);
    if (!Number.isFinite(y)) {
      drawn = 0;
      continue;
    }
    const x = plot.x.toPixel(series.x[i]!);
    if (drawn++ === 0) context.moveTo(x, y);
    context.lineTo(x, y);
  }
  context.stroke();
  context.setLineDash([]);
}

// Extends beyond the plot's edge, so that the first and last columns are complete.
function drawDots(
  plot: Plot,
  series: Series,
  values: Float64Array,
  context: CanvasRenderingContext2D,
  palette: Palette,
): void {
  const [first, end] = seen(plot, series);
  if (!series.dots || end - first > MOST_DOTS) return;
  context.fillStyle = palette.colour(series.colour);
  for (let i = first; i < end; i++) {
    const y = plot.y.toPixel(values[i]!);
    if (Number.isFinite(y)) disc(context, plot.x.toPixel(series.x[i]!), y, 3.5);
  }
}

export function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

// A cross above the plot for each pixel column with values that are not finite.
function drawNotFinite(plot: Plot, series: Series, context: CanvasRenderingContext2D, palette: Palette): void {
  const { left, right, top } = plot.area;
  context.strokeStyle = palette.failed;
  context.lineWidth = 1.5;
  context.beginPath();
  let last = Number.NEGATIVE_INFINITY;
  for (const value of series.notFinite) {
    const x = plot.x.toPixel(value);
    if (x < left - 1 || x > right + 1 || x - last < 2 * CROSS) continue;
    last = x;
    context.moveTo(x - CROSS, top - 5 - CROSS);
    context.lineTo(x + CROSS, top - 5 + CROSS);
    context.moveTo(x - CROSS, top - 5 + CROSS);
    context.lineTo(x + CROSS, top - 5 - CROSS);
  }
  context.stroke();
}

// Wedges on the axis.
function drawMarks({ settings, x, area }: Plot, context: CanvasRenderingContext2D, palette: Palette): void {
  context.fillStyle = palette.ink;
  let last = Number.NEGATIVE_INFINITY;
  for (const mark of settings.marks) {
    const place = x.toPixel(mark.x);
    if (place < area.left - 1 || place > area.right + 1) continue;
    if (mark.best) {
      drawBest(place, area, context, palette);
      continue;
    }
    if (place - last < 1) continue;
    last = place;
    context.beginPath();
    context.moveTo(place, area.bottom - 2 * MARK);
    context.lineTo(place + MARK, area.bottom);
    context.lineTo(place - MARK, area.bottom);
    context.fill();
  }
}

function drawBest(place: number, area: Plot["area"], context: CanvasRenderingContext2D, palette: Palette): void {
  context.save();
  context.strokeStyle = palette.quiet;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(place, area.top);
  context.lineTo(place, area.bottom);
  context.stroke();
  const isRight = place > (area.left + area.right) / 2;
  context.textAlign = isRight ? "right" : "left";
  context.textBaseline = "top";
  context.fillStyle = palette.ink;
  context.fillText("best", place + (isRight ? -4 : 4), area.top);
  context.restore();
}
