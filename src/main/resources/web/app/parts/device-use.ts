// The use of the devices of a job's workers over time: utilization, memory and power.

import { html, nothing } from "lit";
import type { DeviceSample, JobSummary } from "../api/types";
import "../chart/chart";
import type { Range, Series } from "../chart/series";
import { xAxisOf } from "../chart/x-axis";
import { PageElement } from "../element";
import { bytes, duration } from "../format";

interface Use {
  title: string;
  about: string;
  value(sample: DeviceSample): number | undefined;
  format(value: number): string;
  range?: Range;
}

const USES: readonly Use[] = [
  {
    title: "Utilization",
    about: "of the worker's devices; all of its jobs share them",
    value: ({ utilization }) => utilization,
    format: (value) => `${Math.round(100 * value)} %`,
    range: { from: 0, to: 1 },
  },
  {
    title: "Memory",
    about: "of the worker's process",
    value: ({ memoryBytes }) => memoryBytes,
    format: bytes,
  },
  {
    title: "Device memory",
    about: "used on its GPUs, by all processes",
    value: ({ deviceMemoryBytes }) => deviceMemoryBytes,
    format: bytes,
  },
  { title: "Power", about: "of its GPUs", value: ({ powerWatts }) => powerWatts, format: (value) => `${Math.round(value)} W` },
];

const LEAST_SAMPLES = 2;

class DeviceUse extends PageElement {
  static override properties = { job: { attribute: false }, samples: { attribute: false } };

  declare job: JobSummary;
  declare samples: readonly DeviceSample[];

  private drawn = ""; // the state of the series
  private series: readonly { use: Use; series: Series[] }[] = [];

  constructor() {
    super();
    this.samples = [];
  }

  // The same series until there is another sample, so that other updates of the run do not redraw them.
  protected override willUpdate(): void {
    const drawn = `${this.job.job} ${this.samples.length} ${this.samples.at(-1)?.millis}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.series = USES.map((use) => ({ use, series: this.seriesOf(use) }));
  }

  private seriesOf(use: Use): Series[] {
    const known = this.samples.filter((sample) => use.value(sample) !== undefined);
    if (known.length < LEAST_SAMPLES) return [];
    const since = ({ millis }: DeviceSample): number => Math.max(0, millis - this.job.startMillis);
    return [
      {
        name: use.title,
        colour: 0,
        x: Float64Array.from(known, since),
        y: Float64Array.from(known, (sample) => use.value(sample)!),
        envelope: null,
        notFinite: new Float64Array(0),
        dots: false,
        describe: (i) => [
          `${duration(since(known[i]!))} after the start`,
          `${use.title}: ${use.format(use.value(known[i]!)!)}`,
          `worker ${known[i]!.worker}`,
        ],
      },
    ];
  }

  protected override render() {
    const shown = this.series.filter(({ series }) => series.length > 0);
    if (shown.length === 0) return nothing;
    const { format: formatX, steps } = xAxisOf("relative");
    return html`<section id="device-use" aria-labelledby="device-use-heading">
      <h3 id="device-use-heading">Devices</h3>
      <div class="pair">
        ${shown.map(
          ({ use, series }) =>
            html`<figure>
              <figcaption>${use.title} <span class="quiet">${use.about}</span></figcaption>
              <trainyard-chart
                name=${use.title}
                .series=${series}
                .yRange=${use.range ?? null}
                xName="time since the start"
                .formatX=${formatX}
                .xSteps=${steps}
                .formatY=${use.format}
              ></trainyard-chart>
            </figure>`,
        )}
      </div>
    </section>`;
  }
}

customElements.define("device-use", DeviceUse);
