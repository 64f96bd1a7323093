// A chart of curves on a canvas, with faint envelopes and strong lines. Pointer and cursor keys show the exact values of
// a point.

import { html, type PropertyValues } from "lit";
import { PageElement } from "../element";
import { tick } from "../format";
import { type Palette, paletteOf, swatchClass } from "./palette";
import { type Plot, disc, drawing, layOut } from "./plot";
import { type Mark, type Range, type Series, firstFrom, nearest } from "./series";
import { Smoother } from "./smooth";

const DRAG_PIXELS = 6; // less is a click
const MARK_PIXELS = 6;
const ZOOM = 0.5; // the part of the range that remains after a key
const SLICE_MILLIS = 4; // of drawing per frame of 16 ms; the pixels take as long again

export class Chart extends PageElement {
  static override properties = {
    name: {},
    series: { attribute: false },
    marks: { attribute: false },
    xRange: { attribute: false },
    yRange: { attribute: false },
    log: { attribute: false },
    smoothing: { attribute: false },
    xName: {},
    formatX: { attribute: false },
    formatY: { attribute: false },
    xSteps: { attribute: false },
    zoomable: { attribute: false },
  };

  declare name: string; // for screen readers
  declare series: readonly Series[];
  declare marks: readonly Mark[];
  declare xRange: Range | null;
  declare yRange: Range | null;
  declare log: boolean;
  declare smoothing: number;
  declare xName: string;
  declare formatX: (value: number) => string;
  declare formatY: (value: number) => string;
  declare xSteps: readonly number[] | undefined;
  declare zoomable: boolean; // dispatches "zoom" with a Range, or null for everything

  private plot: Plot | undefined;
  private palette: Palette | undefined;
  private cursor: number | null = null; // x
  private drag: { startPixel: number; pixel: number } | null = null;
  private frame = 0;
  private underWay: Generator<void> | null = null; // a drawing over several frames
  private stale = false; // data have changed since it started
  private readonly offscreen = document.createElement("canvas"); // its target
  private readonly smoother = new Smoother();
  private readonly resized = new ResizeObserver(() => this.drawSoon());
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly recolour = (): void => {
    this.palette = undefined;
    this.drawSoon();
  };

  constructor() {
    super();
    this.name = "";
    this.series = [];
    this.marks = [];
    this.xRange = null;
    this.yRange = null;
    this.log = false;
    this.smoothing = 0;
    this.xName = "step";
    this.formatX = tick;
    this.formatY = tick;
    this.zoomable = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.dark.addEventListener("change", this.recolour);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.dark.removeEventListener("change", this.recolour);
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.underWay = null;
  }

  protected override render() {
    const keys = this.zoomable
      ? "Arrow keys read values, plus and minus zoom, Escape shows all."
      : "Arrow keys read values.";
    return html`
      <div
        class="plot"
        tabindex="0"
        role="group"
        aria-label="${this.name}. ${keys}"
        @pointermove=${this.move}
        @pointerdown=${this.press}
        @pointerup=${this.release}
        @pointercancel=${this.leave}
        @pointerleave=${this.leave}
        @dblclick=${() => this.tellZoom(null)}
        @keydown=${this.key}
        @blur=${this.leave}
      >
        <canvas class="curves" role="img" aria-label=${this.summary()}></canvas>
        <canvas class="cursor" aria-hidden="true"></canvas>
        <div class="tooltip" role="status" hidden></div>
      </div>
    `;
  }

  private summary(): string {
    const names = this.series.slice(0, 8).map((series) => series.name);
    return `${this.name}: ${names.join(", ") || "nothing"} by ${this.xName}`;
  }

  protected override firstUpdated(): void {
    this.resized.observe(this.canvas("curves").parentElement!);
  }

  protected override updated(_: PropertyValues): void {
    this.drawSoon();
  }

  private canvas(name: "curves" | "cursor"): HTMLCanvasElement {
    return this.querySelector<HTMLCanvasElement>("canvas." + name)!;
  }

  // Changes are drawn once per frame. A longer drawing continues in the next frame, and is shown when it is complete.
  private drawSoon(): void {
    this.stale = true;
    if (this.frame === 0) this.frame = requestAnimationFrame(this.drawOn);
  }

  private readonly drawOn = (): void => {
    this.frame = 0;
    if (!this.underWay) {
      this.stale = false;
      this.underWay = this.drawAll();
    }
    const end = performance.now() + SLICE_MILLIS;
    let done = false;
    while (!done && performance.now() < end) done = this.underWay.next().done === true;
    if (done) this.underWay = null;
    if (!done || this.stale) this.frame = requestAnimationFrame(this.drawOn);
  };

  private *drawAll(): Generator<void> {
    const shown = this.canvas("curves");
    const { clientWidth: width, clientHeight: height } = shown.parentElement!;
    if (width === 0 || height === 0) return;
    const palette = (this.palette ??= paletteOf(this));
    const context = prepared(this.offscreen, width, height);
    const range = this.xRange ?? spanOf(this.series);
    const smoothed = this.smoother.of(this.smoothing, range.to - range.from);
    const plot = layOut(
      {
        series: this.series,
        smoothed: (series) => (series.dots ? series.y : smoothed(series)),
        marks: this.marks,
        xRange: this.xRange,
        yRange: this.yRange,
        log: this.log,
        xName: this.xName,
        formatX: this.formatX,
        formatY: this.formatY,
        xSteps: this.xSteps,
        width,
        height,
      },
      context,
      palette,
    );
    yield* drawing(plot, context, palette);
    prepared(shown, width, height).drawImage(this.offscreen, 0, 0, width, height);
    this.plot = plot;
    this.drawCursor();
  }

  // The chart as an image file.
  picture(): HTMLCanvasElement {
    const drawn = this.canvas("curves");
    const copy = document.createElement("canvas");
    copy.width = drawn.width;
    copy.height = drawn.height;
    const context = copy.getContext("2d")!;
    context.fillStyle = (this.palette ?? paletteOf(this)).sheet;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(drawn, 0, 0);
    return copy;
  }

  private drawCursor(): void {
    const { plot, palette } = this;
    if (!plot || !palette) return;
    const { left, right, top, bottom } = plot.area;
    const context = prepared(this.canvas("cursor"), plot.settings.width, plot.settings.height);
    if (this.drag) {
      context.fillStyle = palette.accent;
      context.globalAlpha = 0.18;
      context.fillRect(this.drag.startPixel, top, this.drag.pixel - this.drag.startPixel, bottom - top);
      context.globalAlpha = 1;
    }
    const tooltip = this.querySelector<HTMLElement>(".tooltip")!;
    const points = this.cursor === null || this.drag ? [] : this.pointsAt(this.cursor);
    tooltip.hidden = points.length === 0;
    if (points.length === 0) return;

    const x = plot.x.toPixel(points[0]!.x);
    context.strokeStyle = palette.quiet;
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, top);
    context.lineTo(Math.round(x) + 0.5, bottom);
    context.stroke();
    for (const { series, place } of points) {
      const y = plot.y.toPixel(series.y[place]!);
      context.fillStyle = palette.colour(series.colour);
      if (Number.isFinite(y)) disc(context, plot.x.toPixel(series.x[place]!), y, 3.5);
    }
    this.fill(tooltip, points, x);
    // Next to the cursor, on the side with more space.
    const beside = x < (left + right) / 2 ? x + 12 : x - 12 - tooltip.offsetWidth;
    tooltip.style.transform = `translate(${Math.max(0, beside)}px, ${top}px)`;
  }

  private pointsAt(x: number): { series: Series; place: number; x: number }[] {
    return this.series
      .map((series) => ({ series, place: nearest(series.x, x), x: 0 }))
      .filter(({ place }) => place >= 0)
      .map((point) => ({ ...point, x: point.series.x[point.place]! }))
      .filter(({ x: at }) => !this.plot || (at >= this.plot.xRange.from - 1e-9 && at <= this.plot.xRange.to + 1e-9))
      .sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))
      .slice(0, 12);
  }

  private fill(tooltip: HTMLElement, points: { series: Series; place: number }[], pixel: number): void {
    const lines: HTMLElement[] = [];
    for (const { series, place } of points) {
      if (this.series.length > 1) {
        const name = line("strong", series.name);
        const swatch = document.createElement("span");
        swatch.className = swatchClass(series.colour);
        name.prepend(swatch);
        lines.push(name);
      }
      lines.push(...series.describe(place).map((text) => line("span", text)));
    }
    for (const mark of this.marks) {
      if (Math.abs(this.plot!.x.toPixel(mark.x) - pixel) < MARK_PIXELS) lines.push(line("em", mark.text));
    }
    tooltip.replaceChildren(...lines);
  }

  private place(event: PointerEvent): number {
    const { left, right } = this.plot!.area;
    const pixel = event.clientX - this.canvas("curves").getBoundingClientRect().left;
    return Math.min(right, Math.max(left, pixel));
  }

  private readonly move = (event: PointerEvent): void => {
    if (!this.plot) return;
    const pixel = this.place(event);
    if (this.drag) this.drag.pixel = pixel;
    this.cursor = this.plot.x.toValue(pixel);
    this.drawCursor();
  };

  private readonly press = (event: PointerEvent): void => {
    if (!this.plot || !this.zoomable || event.button !== 0 || event.pointerType === "touch") return;
    const pixel = this.place(event);
    this.drag = { startPixel: pixel, pixel };
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };

  private readonly release = (): void => {
    const { drag, plot } = this;
    this.drag = null;
    if (!drag || !plot) return;
    const [from, to] = [drag.startPixel, drag.pixel].sort((a, b) => a - b) as [number, number];
    if (to - from >= DRAG_PIXELS) this.tellZoom({ from: plot.x.toValue(from), to: plot.x.toValue(to) });
    this.drawCursor();
  };

  private readonly leave = (): void => {
    this.cursor = null;
    this.drag = null;
    this.drawCursor();
  };

  private readonly key = (event: KeyboardEvent): void => {
    const { plot } = this;
    const xs = this.series[0]?.x;
    if (!plot || !xs || xs.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const first = firstFrom(xs, plot.xRange.from);
    const last = Math.min(xs.length - 1, firstFrom(xs, plot.xRange.to));
    const at = this.cursor === null ? first : nearest(xs, this.cursor);
    const stride = event.shiftKey ? 10 : 1;
    const places: Record<string, number> = {
      ArrowLeft: at - stride,
      ArrowRight: this.cursor === null ? at : at + stride,
      Home: first,
      End: last,
    };
    const place = places[event.key];
    if (place !== undefined) {
      this.cursor = xs[Math.min(last, Math.max(first, place))]!;
      this.drawCursor();
    } else if (event.key === "+" || event.key === "=") {
      this.zoomAround(ZOOM);
    } else if (event.key === "-") {
      this.zoomAround(1 / ZOOM);
    } else if (event.key === "Escape" || event.key === "0") {
      this.tellZoom(null);
    } else {
      return;
    }
    event.preventDefault();
  };

  private zoomAround(factor: number): void {
    const { from, to } = this.plot!.xRange;
    const middle = this.cursor ?? (from + to) / 2;
    this.tellZoom({ from: middle - (middle - from) * factor, to: middle + (to - middle) * factor });
  }

  private tellZoom(range: Range | null): void {
    if (this.zoomable) this.dispatchEvent(new CustomEvent<Range | null>("zoom", { detail: range }));
  }
}

function spanOf(series: readonly Series[]): Range {
  const shown = series.filter(({ x }) => x.length > 0);
  return {
    from: Math.min(...shown.map(({ x }) => x[0]!)),
    to: Math.max(...shown.map(({ x }) => x[x.length - 1]!)),
  };
}

// Clears the canvas and sets its size in device pixels.
function prepared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function line(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

customElements.define("trainyard-chart", Chart);

declare global {
  interface HTMLElementTagNameMap {
    "trainyard-chart": Chart;
  }
}
