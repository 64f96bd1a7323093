// Users' own metrics of one or several runs, one chart for each name.

import { html, nothing } from "lit";
import type { UserMetric } from "../api/types";
import "../chart/chart";
import type { Series } from "../chart/series";
import { PageElement } from "../element";
import { exact, integer } from "../format";

export interface MeasuredRun {
  job: string;
  colour: number;
  metrics: readonly UserMetric[];
}

function seriesOf({ job, colour }: MeasuredRun, { name, points }: UserMetric): Series {
  return {
    name: job,
    colour,
    x: Float64Array.from(points, ({ step }) => step),
    y: Float64Array.from(points, ({ value }) => value),
    envelope: null,
    notFinite: new Float64Array(0),
    dots: points.length <= 50,
    describe: (i) => [`step ${integer(points[i]!.step)}`, `${name} ${exact(points[i]!.value)}`],
  };
}

class UserMetrics extends PageElement {
  static override properties = { runs: { attribute: false } };

  declare runs: readonly MeasuredRun[];

  constructor() {
    super();
    this.runs = [];
  }

  protected override render() {
    const names = [...new Set(this.runs.flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
    if (names.length === 0) return nothing;
    return html`
      <h3>Published metrics</h3>
      <div class="pair" id="user-metrics">${names.map((name) => this.chart(name))}</div>
    `;
  }

  private chart(name: string) {
    const found = this.runs.flatMap((run) =>
      run.metrics.filter((metric) => metric.name === name).map((metric) => ({ run, metric })),
    );
    const { metric } = found[0]!;
    return html`
      <figure>
        <figcaption>
          ${name}
          ${found.length === 1 ? html`<span class="quiet">last ${exact(metric.last)} at step ${integer(metric.lastStep)}</span>` : nothing}
        </figcaption>
        <trainyard-chart
          name=${name}
          .series=${found.map(({ run, metric: one }) => seriesOf(run, one))}
          xName="step"
        ></trainyard-chart>
      </figure>
    `;
  }
}

customElements.define("user-metrics", UserMetrics);
