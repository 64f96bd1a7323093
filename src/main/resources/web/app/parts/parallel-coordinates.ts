// Trials as lines across one axis for each field that was varied, to how good they are: what the good ones have in
// common is seen at once. All that it shows is in the table beside it, which is what is read aloud.

import { html, nothing, svg } from "lit";
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

interface Axis {
  title: string;
  place(trial: SweepTrial): number | null; // 0 at the bottom to 1 at the top; null where the trial has none
  marks: readonly { at: number; text: string }[];
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
  const at = (word: string): number => (words.length > 1 ? words.indexOf(word) / (words.length - 1) : 0.5);
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

class ParallelCoordinates extends PageElement {
  static override properties = { trials: { attribute: false }, fields: { attribute: false }, metric: {}, hovered: {} };

  declare trials: readonly SweepTrial[]; // the best first
  declare fields: readonly string[];
  declare metric: string;
  declare hovered: string;

  constructor() {
    super();
    this.trials = [];
    this.fields = [];
    this.metric = "accuracy";
    this.hovered = "";
  }

  protected override render() {
    const tested = this.trials.filter(({ best }) => typeof best === "number");
    if (tested.length === 0 || this.fields.length === 0) return nothing;
    const axes = [...this.fields.map((field) => fieldAxis(field, this.trials)), metricAxis(this.metric, tested)];
    const width = 2 * SIDE + AXIS * (axes.length - 1);
    const x = (axis: number): number => SIDE + AXIS * axis;
    const y = (place: number): number => TOP + (1 - place) * (HEIGHT - TOP - BOTTOM);
    const line = (trial: SweepTrial): string => {
      const points = axes.map((axis, i) => ({ x: x(i), place: axis.place(trial) })).filter(({ place }) => place !== null);
      return points.map((point, i) => `${i === 0 ? "M" : "L"}${point.x},${y(point.place!).toFixed(1)}`).join("");
    };
    const goodness = axes.at(-1)!;
    // The best are drawn last, above the others; what is pointed at above all.
    const drawn = [...tested].reverse().sort((a, b) => Number(a.job === this.hovered) - Number(b.job === this.hovered));
    return html`<div class="scroll" role="group" aria-label="Parallel coordinates" tabindex="0">
      <svg
        id="parallel-coordinates"
        role="img"
        aria-label=${`${tested.length} trials as lines across ${this.fields.join(", ")} to ${this.metric}; the table below has the same`}
        viewBox="0 0 ${width} ${HEIGHT}"
        @pointerover=${this.point}
        @pointerleave=${() => this.tell(null)}
      >
        ${drawn.map((trial, i) => {
          const path = line(trial);
          const classes = trial.job === this.hovered ? "line hovered" : i >= drawn.length - 1 - (this.hovered ? 1 : 0) ? "line best" : "line";
          return svg`<g data-job=${trial.job} @click=${() => (location.hash = jobLink(trial.job))}>
            <path class="reach" d=${path}></path>
            <path class=${classes} d=${path} stroke-opacity=${strength(goodness.place(trial) ?? 0)}></path>
          </g>`;
        })}
        ${axes.map(
          (axis, i) => svg`<g class="axis" transform="translate(${x(i)} 0)">
            <line y1=${y(1)} y2=${y(0)}></line>
            <text class="title" y="16">${axis.title}</text>
            ${axis.marks.map((mark) => svg`<text class="mark" x="6" y=${y(mark.at) + 4}>${mark.text}</text>`)}
          </g>`,
        )}
      </svg>
    </div>`;
  }

  private point(event: PointerEvent): void {
    this.tell((event.target as Element).closest("[data-job]")?.getAttribute("data-job") ?? null);
  }

  private tell(job: string | null): void {
    this.dispatchEvent(new CustomEvent(HOVER, { detail: job, bubbles: true }));
  }
}

customElements.define("parallel-coordinates", ParallelCoordinates);
