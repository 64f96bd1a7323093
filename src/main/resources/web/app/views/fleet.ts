// The fleet: jobs by state, what runs now, the workers, device-hours, and why jobs fail.

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { api } from "../api/api";
import { type Fetching, JOB_STATES, type JobStateName, type JobSummary, type WorkerView } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import "../parts/device-hours";
import "../parts/project-shares";
import { label, stateLabel } from "../parts/state-label";
import { jobLink, link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { EverySecond, Subscriber } from "../state/subscriber";

const COUNT_PERIOD_MILLIS = 2_000;
const LONG_LOST_MILLIS = 10 * 60_000; // workers that are lost for longer are hidden
const FAILURES_READ = 200;
const RUNNING_SHOWN = 20;
const REASONS_SHOWN = 8;

interface Failure {
  reason: string; // of the newest job
  jobs: JobSummary[];
}

class FleetView extends PageElement {
  static override properties = { counts: { state: true }, failures: { state: true } };

  declare private counts: ReadonlyMap<JobStateName, number>;
  declare private failures: readonly Failure[];

  private readonly refresher = new Refresher((signal) => this.read(signal), () => COUNT_PERIOD_MILLIS);

  constructor() {
    super();
    this.counts = new Map();
    this.failures = [];
    new EverySecond(this);
    new Subscriber(this, (change) => {
      if (change.snapshot || change.jobs.size > 0) this.refresher.request();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (store.hasData) this.refresher.request();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  private async read(signal: AbortSignal): Promise<void> {
    const counted = JOB_STATES.filter((state) => state !== "failed");
    const failed = api.jobs({ state: ["failed"], sort: "submitted", order: "desc", limit: FAILURES_READ }, signal);
    const totals = await Promise.all(counted.map((state) => api.jobs({ state: [state], limit: 1 }, signal)));
    const counts = new Map<JobStateName, number>(counted.map((state, i) => [state, totals[i]!.total]));
    const { jobs, total } = await failed;
    this.counts = counts.set("failed", total);
    this.failures = byReason(jobs);
  }

  protected override render() {
    if (!store.hasData) return nothing;
    return html`${this.tiles()} ${this.running()} ${store.isLocal ? nothing : this.workers()}
      <project-shares></project-shares> <device-hours></device-hours> ${this.whyFailed()}`;
  }

  private tiles() {
    // No throughput is shown for a past moment.
    const working = store.connection.asOfMillis === null ? store.liveWorkers : [];
    const rate = working.reduce((sum, worker) => sum + worker.samplesPerSecond, 0);
    return html`
      <section aria-labelledby="jobs-heading">
        <h2 id="jobs-heading">Jobs</h2>
        <ul class="tiles" id="states">
          ${JOB_STATES.map(
            (state) =>
              html`<li data-state=${state}>
                <a href=${link("runs", { state })}>
                  ${stateLabel(state)}<strong>${format.integer(this.counts.get(state))}</strong>
                </a>
              </li>`,
          )}
          ${
            store.isLocal
              ? nothing
              : html`<li>
                  <div><span class="quiet">Samples/s</span><strong id="throughput">${format.rate(rate)}</strong></div>
                </li>`
          }
        </ul>
      </section>
    `;
  }

  private running() {
    const running = [...store.jobs.values()]
      .filter((job) => job.state === "running")
      .sort((a, b) => b.firstSeenMillis - a.firstSeenMillis || (a.job < b.job ? -1 : 1));
    const any = JOB_STATES.some((state) => (this.counts.get(state) ?? 0) > 0);
    return html`
      <section aria-labelledby="running-heading">
        <h2 id="running-heading">Running now</h2>
        ${
          running.length === 0
            ? html`<p class="empty" id="no-jobs">
                ${
                  any || this.counts.size === 0
                    ? "Nothing runs."
                    : html`No jobs yet: <code>./trainyard ${store.isLocal ? "train" : "submit"} docs/examples/first.json</code>`
                }
              </p>`
            : html`<ul class="cards" id="running">
                ${repeat(
                  running.slice(0, RUNNING_SHOWN),
                  (job) => job.job,
                  (job) => this.card(job),
                )}
              </ul>`
        }
        ${
          running.length > RUNNING_SHOWN
            ? html`<p class="note"><a href=${link("runs", { state: "running" })}>All ${running.length} that run</a></p>`
            : nothing
        }
      </section>
    `;
  }

  private card(job: JobSummary) {
    const left = store.connection.state === "live" ? format.duration(job.remainingMicros / 1000) : format.NONE;
    return html`
      <li>
        <a href=${jobLink(job.job)} data-job=${job.job}>
          <strong>${job.job}</strong>
          <span class="quiet">${[job.network, job.dataset, job.worker].filter(Boolean).join(" · ")}</span>
          <progress max="1" .value=${format.share(job)} aria-label="Progress of ${job.job}"></progress>
          <span class="row">
            <span>${format.progress(job)}</span>
            <span>loss ${format.loss(job.loss)}</span>
            ${job.testAccuracy === null ? nothing : html`<span>${format.percent(job.testAccuracy)}</span>`}
            ${left === format.NONE ? nothing : html`<span>${left} left</span>`}
          </span>
        </a>
      </li>
    `;
  }

  private workers() {
    const asOf = store.asOfMillis;
    const shown = store.workers.filter(
      (worker) => !store.isLost(worker) || asOf - worker.lastSeenMillis < LONG_LOST_MILLIS,
    );
    const severalVersions = new Set(shown.filter((worker) => !store.isLost(worker)).map(versionOf)).size > 1;
    return html`
      <section aria-labelledby="workers-heading">
        <h2 id="workers-heading">Workers</h2>
        ${
          shown.length === 0
            ? html`<p class="empty" id="no-workers">No workers: <code>./trainyard worker</code></p>`
            : html`<div class="scroll">
                <table class="list" id="workers">
                  <thead>
                    <tr>
                      <th scope="col">Worker</th>
                      <th scope="col">State</th>
                      <th scope="col">Device</th>
                      <th scope="col">Job</th>
                      <th scope="col" class="number">Samples/s</th>
                      <th scope="col" class="number">Memory</th>
                      <th scope="col" class="number">Heartbeat</th>
                    </tr>
                  </thead>
                  <tbody>
                    ${repeat(
                      shown,
                      (worker) => worker.worker,
                      (worker) => this.worker(worker, asOf, severalVersions),
                    )}
                  </tbody>
                </table>
              </div>`
        }
      </section>
    `;
  }

  private worker(worker: WorkerView, asOf: number, withVersion: boolean) {
    const [state, word] = this.stateOf(worker);
    return html`
      <tr data-key=${worker.worker}>
        <td class="id" title="${worker.worker}, ${versionOf(worker)}">
          <strong>${worker.worker}</strong>
          ${withVersion ? html`<span class="why">${versionOf(worker)}</span>` : nothing}
        </td>
        <td class="statecell">
          ${label(state, word)} ${worker.problem ? html`<span class="why">${worker.problem}</span>` : nothing}
          ${worker.fetching ? this.fetching(worker.fetching) : nothing}
        </td>
        <td data-label="Device">${worker.device} ${this.readings(worker)}</td>
        <td data-label="Job" ?data-empty=${!worker.job}>
          ${this.jobs(worker)}
        </td>
        <td data-label="Samples/s" class="number" ?data-empty=${!(worker.samplesPerSecond > 0)}>
          ${format.rate(state === "lost" || state === "unknown" ? 0 : worker.samplesPerSecond)}
        </td>
        <td data-label="Memory" class="number">${format.bytes(worker.memoryBytes)}</td>
        <td data-label="Heartbeat" class="number">
          ${
            store.connection.asOfMillis === null
              ? format.ago(asOf - worker.lastSeenMillis)
              : format.clock(worker.lastSeenMillis)
          }
        </td>
      </tr>
    `;
  }

  // With several slots, also how many are used.
  private jobs({ jobs, slots }: WorkerView) {
    if (jobs.length === 0) return format.NONE;
    const links = jobs.map(({ job }) => html`<a href=${jobLink(job)}>${job}</a> `);
    return slots === 1 ? links : html`${links}<span class="why">${jobs.length} of ${slots} slots</span>`;
  }

  // Names of devices are shown if there are several. A lost worker's readings are outdated and hidden.
  private readings(worker: WorkerView) {
    if (store.isLost(worker) || !worker.readings) return nothing;
    const several = worker.readings.length > 1;
    return worker.readings.map(
      (reading) => html`<span class="why">${several ? `${reading.device}: ` : ""}${format.reading(reading)}</span>`,
    );
  }

  private fetching({ dataset, bytes, totalBytes }: Fetching) {
    return html`
      <div class="progress">
        <progress max=${totalBytes} .value=${bytes} aria-label="Fetching ${dataset}"></progress>
        <span>fetches ${dataset}: ${format.bytes(bytes)} of ${format.bytes(totalBytes)}</span>
      </div>
    `;
  }

  private stateOf(worker: WorkerView): [string, string] {
    if (store.connection.asOfMillis !== null) return ["unknown", "Not known"];
    if (store.isLost(worker)) return ["lost", "Lost"];
    if (worker.stopping) return ["stopping", "Stopping"];
    if (worker.problem) return ["quarantined", "Takes no jobs"];
    return worker.job ? ["busy", "Training"] : ["idle", "Idle"];
  }

  private whyFailed() {
    if (this.failures.length === 0) return nothing;
    return html`
      <section aria-labelledby="failures-heading">
        <h2 id="failures-heading">Why jobs failed</h2>
        <ul class="reasons" id="failures">
          ${this.failures.slice(0, REASONS_SHOWN).map(
            ({ reason, jobs }) =>
              html`<li>
                <span class="number">${format.integer(jobs.length)}</span>
                <span>
                  ${reason}
                  <span class="quiet">
                    ${jobs.slice(0, 3).map((job) => html`<a href=${jobLink(job.job)}>${job.job}</a> `)}
                    ${jobs.length > 3 ? html`and ${jobs.length - 3} more` : nothing}
                  </span>
                </span>
              </li>`,
          )}
        </ul>
      </section>
    `;
  }
}

function versionOf(worker: WorkerView): string {
  return worker.version ? `Trainyard ${worker.version}` : "Trainyard of an unknown version";
}

// Groups reasons that differ in digits only, most frequent first.
function byReason(jobs: readonly JobSummary[]): Failure[] {
  const failures = new Map<string, Failure>();
  for (const job of jobs) {
    const reason = (job.reason ?? "unknown reason").split("\n")[0]!;
    const key = reason.replaceAll(job.job, "").replace(/\d+/g, "0");
    const known = failures.get(key);
    if (known) known.jobs.push(job);
    else failures.set(key, { reason, jobs: [job] });
  }
  return [...failures.values()].sort((a, b) => b.jobs.length - a.jobs.length);
}

customElements.define("fleet-view", FleetView);
