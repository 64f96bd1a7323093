// Groups of runs: counts by state, and their mean losses.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import { type CurveAnswer, type Group, JOB_STATES } from "../api/types";
import { swatchClass } from "../chart/palette";
import type { Series } from "../chart/series";
import { stepsInWords } from "../chart/x-axis";
import "../chart/chart";
import { PageElement } from "../element";
import { count, exact, integer, numberOf, percent, stateWord } from "../format";
import { link } from "../router";
import { Refresher } from "../state/refresher";
import { Subscriber } from "../state/subscriber";

const PERIOD_MILLIS = 3_000;
const MOST_CURVES = 8; // the most bands that remain distinguishable
const MOST_JOBS = 1_000; // per group, the dashboard's limit
const MOST_COMPARED = 100;
const POINTS = 300;
const NONE_OF_IT = "none";

class RunGroups extends PageElement {
  static override properties = {
    by: {},
    state: {},
    text: {},
    tag: {},
    project: {},
    where: {},
    groups: { state: true },
    problem: { state: true },
  };

  declare by: string;
  declare state: string;
  declare text: string;
  declare tag: string;
  declare project: string;
  declare where: string;
  declare private groups: readonly Group[] | null; // null until the first response
  declare private problem: string;

  private series: readonly Series[] = [];
  private readonly refresher = new Refresher((signal) => this.read(signal), () => PERIOD_MILLIS);

  constructor() {
    super();
    this.by = "";
    this.state = "";
    this.text = "";
    this.tag = "";
    this.project = "";
    this.where = "";
    this.groups = null;
    this.problem = "";
    new Subscriber(this, () => this.refresher.request());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (["by", "state", "text", "tag", "project", "where"].some((name) => changed.has(name))) {
      this.refresher.reset();
      this.refresher.request();
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    try {
      const { by, state, text, tag, project, where } = this;
      const { groups } = await api.groups({ by, state, text, tag, project, where }, signal);
      const shown = groups.slice(0, MOST_CURVES);
      const curves = await Promise.all(
        shown.map(({ jobs }) => api.groupCurve(jobs.slice(0, MOST_JOBS), POINTS, signal)),
      );
      this.series = shown.map((group, i) => seriesOf(nameOf(group), i, curves[i]!));
      this.groups = groups;
      this.problem = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.problem = problem.message;
    }
  }

  protected override render() {
    if (this.problem) return html`<p class="reason" role="alert">${this.problem}</p>`;
    if (!this.groups) return nothing;
    if (this.groups.length === 0) return html`<p class="empty">No run fits.</p>`;
    const hasPoints = this.series.some(({ x }) => x.length > 0);
    return html`
      <section class="sheet" id="groups" aria-label="Groups by ${this.by}">
        ${
          hasPoints
            ? html`<figure class="losses">
                <figcaption>
                  Loss <span class="quiet">line: mean of all runs of a group; band: one standard deviation</span>
                </figcaption>
                <trainyard-chart class="tall" name="Loss by ${this.by}" .series=${this.series}></trainyard-chart>
              </figure>`
            : nothing
        }
        <div class="scroll" tabindex="0" role="group" aria-label="Groups">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">${this.by}</th>
                <th scope="col" class="number">Runs</th>
                <th scope="col">States</th>
                <th scope="col" class="number">Mean last accuracy</th>
                <th scope="col" class="number">Best accuracy</th>
                <th scope="col"><span class="hidden">Compare</span></th>
              </tr>
            </thead>
            <tbody>
              ${this.groups.map((group, i) => this.row(group, i))}
            </tbody>
          </table>
        </div>
        ${
          this.groups.length > MOST_CURVES
            ? html`<p class="note quiet">Curves are drawn of the first ${MOST_CURVES} groups.</p>`
            : nothing
        }
      </section>
    `;
  }

  private row(group: Group, i: number) {
    const compared = group.jobs.slice(0, MOST_COMPARED);
    return html`<tr data-group=${nameOf(group)}>
      <th scope="row">
        ${i < MOST_CURVES ? html`<span class=${swatchClass(i)}></span>` : nothing}${nameOf(group)}
      </th>
      <td class="number">${integer(group.jobs.length)}</td>
      <td>
        ${JOB_STATES.flatMap((state) => (group.states[state] ? [`${group.states[state]} ${stateWord(state).toLowerCase()}`] : [])).join(", ")}
      </td>
      <td class="number">${percent(group.meanAccuracy)}</td>
      <td class="number">${percent(group.bestAccuracy)}</td>
      <td>
        ${
          group.jobs.length > 1
            ? html`<a href=${link("compare", { jobs: compared.join(",") })}>Compare ${count(compared.length, "run")}</a>`
            : nothing
        }
      </td>
    </tr>`;
  }
}

function nameOf(group: Group): string {
  return group.value ?? NONE_OF_IT;
}

function seriesOf(name: string, colour: number, answer: CurveAnswer): Series {
  const mean = Float64Array.from(answer.mean, numberOf);
  const deviation = Float64Array.from(answer.deviation, numberOf);
  return {
    name,
    colour,
    x: Float64Array.from(answer.firstStep, (first, i) => (first + answer.lastStep[i]!) / 2),
    y: mean,
    envelope: { low: mean.map((value, i) => value - deviation[i]!), high: mean.map((value, i) => value + deviation[i]!) },
    notFinite: new Float64Array(0),
    dots: false,
    describe: (i) => [
      stepsInWords(answer.firstStep[i]!, answer.lastStep[i]!),
      `mean ${exact(mean[i]!)}, standard deviation ${exact(deviation[i]!)}`,
      `losses: ${integer(answer.count[i]!)}`,
    ],
  };
}

customElements.define("run-groups", RunGroups);
