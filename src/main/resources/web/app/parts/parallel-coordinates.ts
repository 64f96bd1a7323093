// Parallel coordinates: a line per trial across an axis per varied field and one for the result. Screen readers use the
// table below, which has the same data.
//
// There may be 1,000 lines, so they are drawn only when trials change; the line under the pointer is found by its
// position and drawn above them.

import { html, nothing, svg } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import type { Json, SweepTrial } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import { jobLink } from "../router";
import { inWords } from "./parameters";

const HEIGHT = 300;
const TOP = 34;
const BOTTOM = 26;
const SIDE = 64;
const AXIS = 150; // minimum distance of axes in pixels
const LOG_FROM = 50; // an axis is logarithmic if its ends differ by this factor
const REACH = 8; // maximum distance of the pointer from a line in pixels

interface Axis {
  title: string;
  place(trial: SweepTrial): number | null; // 0: bottom, 1: top; null: no value
  marks: readonly { at: number; text: string }[];
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

function numbers(values: readonly (Json | undefined)[]): number[] | null {
  const known = values.filter((value) => value !== undefined && value !== null);
  return known.length > 0 && known.every((value) => typeof value === "number") ? (known as number[]) : null;
}

function scale(values: readonly number[]): { at: (value: number) => number; marks: number[] } {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const logarithmic = low > 0 && high / low >= LOG_FROM;
  const of = (value: number): number => (logarithmic ? Math.log(value) : value);
  const width = of(high) - of(low);
  const at = (value: number): number => (width > 0 ? (of(value) - of(low)) / width : 0.5);
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  return { at, marks: distinct.length <= 8 ? distinct : [low, high] };
}

function fieldAxis(field: string, trials: readonly SweepTrial[]): Axis {
  const title = field.slice(field.lastIndexOf(".") + 1);
  const all = trials.map((trial) => trial.values[field]);
  const figures = numbers(all);
  if (figures) {
    const { at, marks } = scale(figures);
    return {
      title,
      place: (trial) => (typeof trial.values[field] === "number" ? at(trial.values[field]) : null),
      marks: marks.map((value) => ({ at: at(value), text: format.tick(value) })),
    };
  }
  const words = [...new Set(all.filter((value) => value !== undefined && value !== null).map(inWords))].sort();
  const order = new Map(words.map((word, i) => [word, i]));
  const at = (word: string): number => (words.length > 1 ? (order.get(word) ?? 0) / (words.length - 1) : 0.5);
  return {
    title,
    place: (trial) => (trial.values[field] === undefined ? null : at(inWords(trial.values[field]))),
    marks: words.slice(0, 12).map((word) => ({ at: at(word), text: word.length > 14 ? word.slice(0, 13) + "…" : word })),
  };
}

function metricAxis(metric: string, trials: readonly SweepTrial[]): Axis {
  const known = trials.map(({ best }) => best).filter((best): best is number => typeof best === "number");
  const { at, marks } = scale(known.length > 0 ? known : [0]);
  const up = (value: number): number => (metric === "loss" ? 1 - at(value) : at(value)); // better is higher
  return {
    title: metric,
    place: ({ best }) => (typeof best === "number" ? up(best) : null),
    marks: [...new Set([marks[0]!, marks.at(-1)!])].map((value) => ({ at: up(value), text: value.toFixed(3) })),
  };
}

/** Better trials have stronger lines. */
function strength(goodness: number): string {
  return (0.18 + 0.6 * goodness * goodness).toFixed(3);
}

const x = (axis: number): number => SIDE + AXIS * axis;
const y = (place: number): number => TOP + (1 - place) * (HEIGHT - TOP - BOTTOM);

function lineOf(trial: SweepTrial, axes: readonly Axis[]): Line {
  const points: Point[] = [];
  axes.forEach((axis, i) => {
    const place = axis.place(trial);
    if (place !== null) points.push({ x: x(i), y: y(place) });
  });
  const path = points.map((point, i) => `${i === 0 ? "M" : "L"}${point.x},${point.y.toFixed(1)}`).join("");
  return { job: trial.job, points, path, strength: strength(axes.at(-1)!.place(trial) ?? 0) };
}

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
  static override properties = { trials: { attribute: false }, fields: { attribute: false }, metric: {}, hovered: {} };

  declare trials: readonly SweepTrial[]; // best first
  declare fields: readonly string[];
  declare metric: string;
  declare hovered: string;

  private axes: readonly Axis[] = [];
  private lines: readonly Line[] = []; // best last, so that it is drawn on top

  constructor() {
    super();
    this.trials = [];
    this.fields = [];
    this.metric = "accuracy";
    this.hovered = "";
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("trials") && !changed.has("fields") && !changed.has("metric")) return;
    const tested = this.trials.filter(({ best }) => typeof best === "number");
    const axes = [...this.fields.map((field) => fieldAxis(field, this.trials)), metricAxis(this.metric, tested)];
    this.axes = axes;
    this.lines = tested.map((trial) => lineOf(trial, axes)).reverse();
  }

  protected override render() {
    const { axes, lines } = this;
    if (lines.length === 0 || this.fields.length === 0) return nothing;
    const hovered = lines.find(({ job }) => job === this.hovered);
    return html`<div class="scroll" role="group" aria-label="Parallel coordinates" tabindex="0">
      <svg
        id="parallel-coordinates"
        role="img"
        aria-label=${`${lines.length} trials as lines across ${this.fields.join(", ")} to ${this.metric}; the table below has the same`}
        viewBox="0 0 ${2 * SIDE + AXIS * (axes.length - 1)} ${HEIGHT}"
        class=${hovered ? "pointed" : ""}
        @pointermove=${(event: PointerEvent) => this.tell(this.pointed(event))}
        @pointerleave=${() => this.tell("")}
        @click=${this.open}
      >
        ${guard([lines], () =>
          repeat(
            lines,
            ({ job }) => job,
            (line, i) => svg`<path
              data-job=${line.job}
              class=${i === lines.length - 1 ? "line best" : "line"}
              d=${line.path}
              stroke-opacity=${line.strength}
            ></path>`,
          ),
        )}
        ${hovered ? svg`<path class="line hovered" d=${hovered.path}></path>` : nothing}
        ${guard([axes], () =>
          axes.map(
            (axis, i) => svg`<g class="axis" transform="translate(${x(i)} 0)">
              <line y1=${y(1)} y2=${y(0)}></line>
              <text class="title" y="16">${axis.title}</text>
              ${axis.marks.map((mark) => svg`<text class="mark" x="6" y=${y(mark.at) + 4}>${mark.text}</text>`)}
            </g>`,
          ),
        )}
      </svg>
    </div>`;
  }

  /** The job with the nearest line; empty if none is near. */
  private pointed(event: MouseEvent): string {
    const toScreen = (event.currentTarget as SVGSVGElement).getScreenCTM();
    if (!toScreen) return "";
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toScreen.inverse());
    let nearest = { job: "", from: REACH };
    for (const line of this.lines) {
      const from = distance(line, at);
      if (from <= nearest.from) nearest = { job: line.job, from }; // among equals the best, which is on top
    }
    return nearest.job;
  }

  private open(event: MouseEvent): void {
    const job = this.pointed(event);
    if (job) location.hash = jobLink(job);
  }

  private tell(job: string): void {
    if (job !== this.hovered) this.dispatchEvent(new CustomEvent(HOVER, { detail: job || null, bubbles: true }));
  }
}

customElements.define("parallel-coordinates", ParallelCoordinates);
