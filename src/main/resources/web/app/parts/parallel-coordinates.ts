// Parallel coordinates: a line per trial across an axis per varied field and one for the result. Dragging along an axis,
// or the fields below, select trials by a range. Screen readers use the table below, which has the same data.
//
// There may be 1,000 lines, so they are drawn only when trials change; the line under the pointer is found by its
// position and drawn above them.

import { html, nothing, svg } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import type { Json, SweepTrial } from "../api/types";
import { linearScale, logScale } from "../chart/scale";
import { PageElement } from "../element";
import * as format from "../format";
import { jobLink } from "../router";
import { inWords, shortNames } from "./parameters";

const HEIGHT = 320;
const TOP = 34;
const BOTTOM = 20;
const LEFT = 56;
const RIGHT = 84;
const AXIS = 110; // minimum distance of axes in pixels
const CHARACTER = 7.5; // width in a title
const LOG_FROM = 50; // an axis is logarithmic if its ends differ by this factor
const REACH = 8; // maximum distance of the pointer from a line in pixels
const GRIP = 12; // maximum distance of a drag from its axis
const LABEL = 13; // height of a label
const TICKS = 6;
const FEW_VALUES = 8; // each of them has a label
const RESULT = ""; // the key of the result's axis

interface Axis {
  key: string;
  title: string;
  words: readonly string[] | null; // of an axis with texts, whose values are their indexes
  log: boolean | null; // null: a logarithm is impossible
  value(trial: SweepTrial): number | null;
  place(value: number): number; // 0: bottom, 1: top
  valueAt(place: number): number;
  marks: readonly { at: number; text: string }[];
}

interface Span {
  from: number;
  to: number;
}

interface Point {
  x: number;
  y: number;
}

interface Line {
  job: string;
  points: readonly Point[];
  path: string;
  strength: string;
}

export const HOVER = "trial-hover"; // detail: the job, or null
export const SELECT = "trial-select"; // detail: the set of selected jobs, or null for all

function numbers(values: readonly (Json | undefined)[]): number[] | null {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length > 0 && known.every((value) => typeof value === "number") ? (known as number[]) : null;
}

// Labels at the ends first, and no two that overlap.
function spread(marks: readonly { at: number; text: string }[]): { at: number; text: string }[] {
  const ordered = [marks[0], marks.at(-1), ...marks.slice(1, -1)].filter((mark) => mark !== undefined);
  const shown: { at: number; text: string }[] = [];
  for (const mark of ordered) {
    if (shown.every(({ at }) => Math.abs(at - mark.at) * (HEIGHT - TOP - BOTTOM) >= LABEL)) shown.push(mark);
  }
  return shown;
}

type Figures = Pick<Axis, "log" | "place" | "valueAt" | "marks">;

function figures(values: readonly number[], wanted: boolean | undefined, down: boolean, text: (value: number) => string): Figures {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const log = low > 0 && high > low ? (wanted ?? high / low >= LOG_FROM) : null;
  const scale = log ? logScale(low, high, down ? 1 : 0, down ? 0 : 1) : linearScale(low, high, down ? 1 : 0, down ? 0 : 1);
  const place = (value: number): number => (high > low ? scale.toPixel(value) : 0.5);
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const marked = distinct.length <= FEW_VALUES ? distinct : scale.ticks(TICKS);
  return { log, place, valueAt: scale.toValue, marks: spread(marked.map((value) => ({ at: place(value), text: text(value) }))) };
}

function fieldAxis(key: string, title: string, trials: readonly SweepTrial[], log: boolean | undefined): Axis {
  const all = trials.map((trial) => trial.values[key]);
  const known = numbers(all);
  if (known) {
    const value = ({ values }: SweepTrial): number | null => (typeof values[key] === "number" ? values[key] : null);
    return { key, title, words: null, value, ...figures(known, log, false, format.tick) };
  }
  const words = [...new Set(all.filter((value) => value !== undefined && value !== null).map(inWords))].sort();
  const order = new Map(words.map((word, i) => [word, i]));
  const place = (i: number): number => (words.length > 1 ? i / (words.length - 1) : 0.5);
  return {
    key,
    title,
    words,
    log: null,
    value: ({ values }) => (values[key] === undefined ? null : (order.get(inWords(values[key])) ?? null)),
    place,
    valueAt: (at) => at * (words.length - 1),
    marks: spread(words.map((word, i) => ({ at: place(i), text: word.length > 12 ? word.slice(0, 11) + "…" : word }))),
  };
}

function resultAxis(metric: string, trials: readonly SweepTrial[]): Axis {
  const known = trials.map(({ best }) => best).filter((best): best is number => typeof best === "number");
  const isLoss = metric === "loss"; // better is higher
  const text = isLoss ? format.tick : (value: number): string => format.tick(100 * value) + " %";
  const value = ({ best }: SweepTrial): number | null => (typeof best === "number" ? best : null);
  const axis = figures(known.length > 0 ? known : [0], isLoss ? undefined : false, isLoss, text);
  return { key: RESULT, title: `best ${metric}`, words: null, value, ...axis };
}

/** Better trials have stronger lines. */
function strength(goodness: number): string {
  return (0.18 + 0.6 * goodness * goodness).toFixed(3);
}

const y = (place: number): number => TOP + (1 - place) * (HEIGHT - TOP - BOTTOM);
const placeOf = (pixel: number): number => Math.min(1, Math.max(0, 1 - (pixel - TOP) / (HEIGHT - TOP - BOTTOM)));

/** The vertical distance of a line; infinite outside its range. */
function distance({ points }: Line, from: Point): number {
  const right = points.findIndex((point) => point.x >= from.x);
  if (right < 0 || (right === 0 && points[0]!.x > from.x)) return Infinity;
  const b = points[right]!;
  const a = points[Math.max(0, right - 1)]!;
  const at = b.x === a.x ? b.y : a.y + ((b.y - a.y) * (from.x - a.x)) / (b.x - a.x);
  const steep = b.x === a.x ? 1 : Math.hypot(1, (b.y - a.y) / (b.x - a.x));
  return Math.abs(from.y - at) / steep;
}

class ParallelCoordinates extends PageElement {
  static override properties = {
    trials: { attribute: false },
    fields: { attribute: false },
    metric: {},
    hovered: {},
    spans: { state: true },
    logs: { state: true },
    width: { state: true },
  };

  declare trials: readonly SweepTrial[]; // best first
  declare fields: readonly string[];
  declare metric: string;
  declare hovered: string;
  declare private spans: ReadonlyMap<string, Span>; // the selected range of values, by axis
  declare private logs: ReadonlyMap<string, boolean>; // the scales that users chose, by axis
  declare private width: number;

  private axes: readonly Axis[] = [];
  private lines: readonly Line[] = []; // best last, so that it is drawn on top
  private drag: { axis: Axis; from: number; moved: boolean } | null = null;
  private dragged = false; // the click that ends a drag opens no run
  private readonly resized = new ResizeObserver(() => (this.width = this.clientWidth));

  constructor() {
    super();
    this.trials = [];
    this.fields = [];
    this.metric = "accuracy";
    this.hovered = "";
    this.spans = new Map();
    this.logs = new Map();
    this.width = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.resized.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.resized.disconnect();
  }

  private get gap(): number {
    return Math.max(AXIS, (this.width - LEFT - RIGHT) / Math.max(1, this.fields.length));
  }

  private x(axis: number): number {
    return LEFT + this.gap * axis;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (["trials", "fields", "metric", "logs", "width"].some((name) => changed.has(name))) {
      const tested = this.trials.filter(({ best }) => typeof best === "number");
      const names = shortNames(this.fields);
      const { logs } = this;
      this.axes = [
        ...this.fields.map((field, i) => fieldAxis(field, names[i]!, this.trials, logs.get(field))),
        resultAxis(this.metric, tested),
      ];
      this.lines = tested.map((trial) => this.lineOf(trial)).reverse();
    }
    if (changed.has("trials") || changed.has("spans")) this.tellSelected();
  }

  private lineOf(trial: SweepTrial): Line {
    const points = this.axes.flatMap((axis, i): Point[] => {
      const value = axis.value(trial);
      return value === null ? [] : [{ x: this.x(i), y: y(axis.place(value)) }];
    });
    const path = points.map((point, i) => `${i === 0 ? "M" : "L"}${point.x.toFixed(1)},${point.y.toFixed(1)}`).join("");
    const result = this.axes.at(-1)!;
    return { job: trial.job, points, path, strength: strength(result.place(result.value(trial) ?? 0)) };
  }

  // Null: all.
  private get chosen(): ReadonlySet<string> | null {
    if (this.spans.size === 0) return null;
    const limits = this.axes.flatMap((axis) => {
      const span = this.spans.get(axis.key);
      return span ? [{ axis, span }] : [];
    });
    const fits = (trial: SweepTrial): boolean =>
      limits.every(({ axis, span }) => {
        const value = axis.value(trial);
        return value !== null && value >= span.from && value <= span.to;
      });
    return new Set(this.trials.filter(fits).map(({ job }) => job));
  }

  private tellSelected(): void {
    this.dispatchEvent(new CustomEvent(SELECT, { detail: this.chosen, bubbles: true }));
  }

  protected override render() {
    const { axes, lines, chosen } = this;
    if (lines.length === 0 || this.fields.length === 0) return nothing;
    const hovered = lines.find(({ job }) => job === this.hovered);
    const width = LEFT + RIGHT + this.gap * (axes.length - 1);
    return html`
      <div class="scroll" role="group" aria-label="Parallel coordinates" tabindex="0">
        <svg
          id="parallel-coordinates"
          role="img"
          aria-label=${`${lines.length} trials as lines across ${this.fields.join(", ")} to ${this.metric}; the table below has the same`}
          width=${width}
          height=${HEIGHT}
          class=${hovered ? "pointed" : ""}
          @pointerdown=${this.press}
          @pointermove=${this.move}
          @pointerup=${this.release}
          @pointercancel=${() => (this.drag = null)}
          @pointerleave=${() => this.tell("")}
          @click=${this.open}
        >
          ${guard([lines, this.spans], () =>
            repeat(
              lines,
              ({ job }) => job,
              (line, i) => svg`<path
                data-job=${line.job}
                class=${`line${i === lines.length - 1 ? " best" : ""}${chosen && !chosen.has(line.job) ? " faded" : ""}`}
                d=${line.path}
                stroke-opacity=${line.strength}
              ></path>`,
            ),
          )}
          ${hovered ? svg`<path class="line hovered" d=${hovered.path}></path>` : nothing}
          ${guard([axes, this.spans, this.gap], () => axes.map((axis, i) => this.axis(axis, i)))}
        </svg>
      </div>
      <details id="ranges">
        <summary>Ranges and scales</summary>
        <div class="fields">${axes.map((axis) => this.controls(axis))}</div>
      </details>
      ${
        chosen
          ? html`<p class="toolbar" role="status" id="chosen">
              ${chosen.size} of ${format.count(this.trials.length, "trial")} in the selected ranges
              <button type="button" @click=${() => (this.spans = new Map())}>Show all</button>
            </p>`
          : nothing
      }
    `;
  }

  private axis(axis: Axis, i: number) {
    const span = this.spans.get(axis.key);
    const ends = span && [this.limit(axis, span.from), this.limit(axis, span.to)].map((value) => y(axis.place(value)));
    const most = Math.max(4, Math.floor(this.gap / CHARACTER));
    const end = axis.log ? " (log)" : "";
    const title = axis.title.length + end.length > most ? axis.title.slice(0, most - end.length - 1) + "…" : axis.title;
    return svg`<g class="axis" data-axis=${axis.key} transform="translate(${this.x(i)} 0)">
      <line y1=${y(1)} y2=${y(0)}></line>
      <rect class="grip" x=${-GRIP} width=${2 * GRIP} y=${TOP - 6} height=${HEIGHT - TOP - BOTTOM + 12}></rect>
      ${ends ? svg`<rect class="span" x="-5" width="10" y=${Math.min(...ends)} height=${Math.max(3, Math.abs(ends[0]! - ends[1]!))}></rect>` : nothing}
      <text class="title" y="16">${title + end}<title>${axis.key || axis.title}</title></text>
      ${axis.marks.map((mark) => svg`<text class="mark" x="8" y=${y(mark.at) + 4}>${mark.text}</text>`)}
    </g>`;
  }

  // The value within the axis.
  private limit(axis: Axis, value: number): number {
    const ends = [axis.valueAt(0), axis.valueAt(1)];
    return Math.min(Math.max(...ends), Math.max(Math.min(...ends), value));
  }

  private controls(axis: Axis) {
    const span = this.spans.get(axis.key);
    if (axis.words) {
      const choose = (event: Event): void => {
        const i = axis.words!.indexOf((event.target as HTMLSelectElement).value);
        this.setSpan(axis, i < 0 ? null : { from: i, to: i });
      };
      const only = span && span.from === span.to ? axis.words[span.from] : undefined;
      return html`<label>
        <span class="name">${axis.title}</span>
        <select @change=${choose}>
          <option value="">all</option>
          ${axis.words.map((word) => html`<option ?selected=${word === only}>${word}</option>`)}
        </select>
      </label>`;
    }
    const end = (name: "from" | "to", none: number) => html`<input
      type="number"
      step="any"
      aria-label="${axis.title} ${name}"
      placeholder=${name}
      .value=${span && Number.isFinite(span[name]) ? String(span[name]) : ""}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLInputElement;
        const next = { from: span?.from ?? -Infinity, to: span?.to ?? Infinity, [name]: value === "" ? none : Number(value) };
        this.setSpan(axis, Number.isFinite(next.from) || Number.isFinite(next.to) ? next : null);
      }}
    />`;
    return html`<div>
      <span class="name">${axis.title}</span>
      <span class="ends">
        ${end("from", -Infinity)} ${end("to", Infinity)}
        ${
          axis.log === null || axis.key === RESULT
            ? nothing
            : html`<label>
                <input
                  type="checkbox"
                  .checked=${axis.log}
                  @change=${(event: Event) =>
                    (this.logs = new Map(this.logs).set(axis.key, (event.target as HTMLInputElement).checked))}
                />
                log
              </label>`
        }
      </span>
    </div>`;
  }

  private setSpan({ key }: Axis, span: Span | null): void {
    const spans = new Map(this.spans);
    if (span) spans.set(key, span);
    else spans.delete(key);
    this.spans = spans;
  }

  private at(event: MouseEvent): Point {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  }

  /** The job with the nearest line; empty if none is near. */
  private pointed(event: MouseEvent): string {
    const at = this.at(event);
    let nearest = { job: "", from: REACH };
    for (const line of this.lines) {
      const from = distance(line, at);
      if (from <= nearest.from) nearest = { job: line.job, from }; // among equals the best, which is on top
    }
    return nearest.job;
  }

  private press(event: PointerEvent): void {
    const at = this.at(event);
    const axis = this.axes.find((_, i) => Math.abs(this.x(i) - at.x) <= GRIP);
    this.dragged = false;
    if (!axis || event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.drag = { axis, from: at.y, moved: false };
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) {
      this.tell(this.pointed(event));
      return;
    }
    const to = this.at(event).y;
    if (Math.abs(to - drag.from) < 4 && !drag.moved) return;
    drag.moved = true;
    const [a, b] = [drag.from, to].map((pixel) => drag.axis.valueAt(placeOf(pixel)));
    const rounding = Math.abs(drag.axis.valueAt(1) - drag.axis.valueAt(0)) * 1e-9;
    this.setSpan(drag.axis, { from: Math.min(a!, b!) - rounding, to: Math.max(a!, b!) + rounding });
  }

  // A click on an axis shows all of its values.
  private release(): void {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    this.dragged = drag.moved || this.spans.has(drag.axis.key);
    const span = this.spans.get(drag.axis.key);
    if (!drag.moved) {
      this.setSpan(drag.axis, null);
    } else if (span) {
      const within = this.trials.flatMap((trial) => drag.axis.value(trial) ?? []).filter((value) => value >= span.from && value <= span.to);
      // The values of trials are shorter than those of pixels.
      if (within.length > 0) this.setSpan(drag.axis, { from: Math.min(...within), to: Math.max(...within) });
    }
  }

  private open(event: MouseEvent): void {
    const job = this.dragged ? "" : this.pointed(event);
    if (job) location.hash = jobLink(job);
  }

  private tell(job: string): void {
    if (job !== this.hovered) this.dispatchEvent(new CustomEvent(HOVER, { detail: job || null, bubbles: true }));
  }
}

customElements.define("parallel-coordinates", ParallelCoordinates);
