// Trials as lines across one axis for each field that was varied, to how good they are: what the good ones have in
// common is seen at once. All that it shows is in the table beside it, which is what is read aloud.
//
// There may be a thousand lines: they are drawn when the trials change, and what is pointed at is found by where it is
// and drawn above them.

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
const AXIS = 150; // from one to the next, at least
const LOG_FROM = 50; // a range is logarithmic where its ends differ by this factor
const REACH = 8; // so far from a line it is pointed at

interface Axis {
  title: string;
  place(trial: SweepTrial): number | null; // 0 at the bottom to 1 at the top; null where the trial has none
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

export const HOVER = "trial-hover"; // its detail is the job, or null

function numbers(values: readonly (Json | undefined)[]): number[] | null {
  const told = values.filter((value) => value !== undefined && value !== null);
  return told.length > 0 && told.every((value) => typeof value === "number") ? (told as number[]) : null;
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
  const told = trials.map(({ best }) => best).filter((best): best is number => typeof best === "number");
  const { at, marks } = scale(told.length > 0 ? told : [0]);
  const up = (value: number): number => (metric === "loss" ? 1 - at(value) : at(value)); // the better, the higher
  return {
    title: metric,
    place: ({ best }) => (typeof best === "number" ? up(best) : null),
    marks: [...new Set([marks[0]!, marks.at(-1)!])].map((value) => ({ at: up(value), text: value.toFixed(3) })),
  };
}

/** The better, the stronger a line. */
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

/** How far below or above a line is; infinite beside it. */
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

  declare trials: readonly SweepTrial[]; // the best first
  declare fields: readonly string[];
  declare metric: string;
  declare hovered: string;

  private axes: readonly Axis[] = [];
  private lines: readonly Line[] = []; // the best last: it is drawn above the others

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

  /** The job whose line is nearest; empty where none is near. */
  private pointed(event: MouseEvent): string {
    const toScreen = (event.currentTarget as SVGSVGElement).getScreenCTM();
    if (!toScreen) return "";
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toScreen.inverse());
    let nearest = { job: "", from: REACH };
    for (const line of this.lines) {
      const from = distance(line, at);
      if (from <= nearest.from) nearest = { job: line.job, from }; // of equals the best, which is seen
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
