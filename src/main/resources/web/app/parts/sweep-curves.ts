// The curves of a sweep's best trials: loss, and the result after each epoch.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import type { JobDetail, Metric, SweepTrial } from "../api/types";
import { PageElement } from "../element";
import { count } from "../format";
import { link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import "./epoch-charts";
import "./loss-curves";

const MOST = 8; // as many as there are colours
const PERIOD_MILLIS = 3_000;

const TITLES: Record<Metric, string> = { accuracy: "Test accuracy", loss: "Test loss", macroF1: "Macro F1" };

const progressOf = ({ job, state, epochs }: SweepTrial): string => `${job} ${state} ${epochs}`;

class SweepCurves extends PageElement {
  static override properties = {
    trials: { attribute: false },
    metric: {},
    query: {},
    details: { state: true },
  };

  declare trials: readonly SweepTrial[]; // best first
  declare metric: Metric;
  declare query: string; // of the link
  declare private details: readonly JobDetail[];

  private known = new Map<string, { progress: string; detail: JobDetail }>();
  private shown = "";
  private readonly refresher = new Refresher((signal) => this.read(signal), () => PERIOD_MILLIS);

  constructor() {
    super();
    this.trials = [];
    this.metric = "accuracy";
    this.query = "";
    this.details = [];
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  private get drawn(): readonly SweepTrial[] {
    return this.trials.filter(({ epochs, state }) => epochs > 0 || state === "running").slice(0, MOST);
  }

  protected override willUpdate(): void {
    const shown = this.drawn.map(progressOf).join("\n");
    if (shown === this.shown) return;
    this.shown = shown;
    this.refresher.request();
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { known, drawn } = this;
    try {
      this.details = await Promise.all(
        drawn.map(async (trial) => {
          const progress = progressOf(trial);
          const before = known.get(trial.job);
          if (before?.progress === progress) return before.detail;
          const detail = await api.job(trial.job, signal);
          known.set(trial.job, { progress, detail });
          return detail;
        }),
      );
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      // The trials of the next answer are tried again; the table shows the problem meanwhile.
    }
  }

  protected override render() {
    if (this.details.length === 0) return nothing;
    const jobs = this.details.map(({ summary }) => store.jobs.get(summary.job) ?? summary);
    const runs = this.details.map(({ summary, tests }, colour) => ({ job: summary.job, colour, tests, rates: [] }));
    const query = new URLSearchParams(this.query);
    if (!query.has("x")) query.set("x", "epoch"); // batch sizes may differ
    const tested = this.trials.filter(({ epochs }) => epochs > 0).length;
    return html`
      <section id="sweep-curves" aria-label="Curves">
        <loss-curves .jobs=${jobs} .query=${query.toString()}></loss-curves>
        <epoch-charts .runs=${runs} .only=${TITLES[this.metric]}></epoch-charts>
        <p class="note quiet">
          ${tested > jobs.length ? `Curves of the best ${jobs.length} of ${count(tested, "tested trial")}.` : nothing}
          ${
            jobs.length > 1
              ? html`<a href=${link("compare", { jobs: jobs.map(({ job }) => job).join(",") })}>Compare them</a>`
              : nothing
          }
        </p>
      </section>
    `;
  }
}

customElements.define("sweep-curves", SweepCurves);
