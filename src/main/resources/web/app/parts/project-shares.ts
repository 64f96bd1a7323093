// Quotas and usage of projects; hidden if no job names a project.

import { html, nothing } from "lit";
import { api } from "../api/api";
import type { ProjectRow, Projects } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import { link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const MINUTE_MILLIS = 60_000;
const PERIOD_MILLIS = 5_000;
const SHOWN = 50;
const UNNAMED = "default"; // the project of jobs without one

class ProjectShares extends PageElement {
  static override properties = { answer: { state: true } };

  declare private answer: Projects | null; // null until the first response

  private timer: number | undefined;
  private readonly refresher = new Refresher((signal) => this.read(signal), () => PERIOD_MILLIS);

  constructor() {
    super();
    this.answer = null;
    new Subscriber(this, ({ snapshot, jobs }) => {
      if (snapshot || jobs.size > 0) this.refresher.request();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (store.hasData) this.refresher.request();
    this.timer = window.setInterval(() => this.refresher.request(), MINUTE_MILLIS); // usage decays without events
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    this.refresher.reset();
  }

  private async read(signal: AbortSignal): Promise<void> {
    this.answer = await api.projects(signal);
  }

  protected override render() {
    const projects = this.answer?.projects ?? [];
    if (projects.every((row) => row.project === UNNAMED)) return nothing;
    return html`
      <section aria-labelledby="projects-heading">
        <h2 id="projects-heading">Projects</h2>
        <div class="scroll">
          <table class="list" id="projects">
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col" class="number">Weight</th>
                <th scope="col" class="number">Share</th>
                <th scope="col" class="number">Had</th>
                <th scope="col" class="number">Running</th>
                <th scope="col" class="number">Waiting</th>
              </tr>
            </thead>
            <tbody>
              ${first(projects).map((row) => line(row))}
            </tbody>
          </table>
        </div>
        <p class="note">
          Share: by weight, of those that have something to do. Had: of the device time of the last
          ${format.duration(1000 * this.answer!.windowSeconds).replace(/ 0 min$/, "")}.
          ${projects.length > SHOWN ? `${projects.length - SHOWN} more have less to do.` : nothing}
        </p>
      </section>
    `;
  }
}

// The projects with the most jobs, sorted by name.
function first(projects: readonly ProjectRow[]): ProjectRow[] {
  const busy = (row: ProjectRow): number => row.running + row.waiting;
  return [...projects]
    .sort((a, b) => busy(b) - busy(a) || b.deviceSeconds - a.deviceSeconds)
    .slice(0, SHOWN)
    .sort((a, b) => (a.project < b.project ? -1 : 1));
}

function line({ project, rule, share, had, running, waiting }: ProjectRow) {
  return html`
    <tr data-key=${project}>
      <td class="id" title=${project}><a href=${link("runs", { project })}>${project}</a></td>
      <td data-label="Weight" class="number">${rule.weight}</td>
      <td data-label="Share" class="number" ?data-empty=${share === null}>${format.percent(share)}</td>
      <td data-label="Had" class="number" ?data-empty=${had === null}>${format.percent(had)}</td>
      <td data-label="Running" class="number">${ofMost(running, rule.running)}</td>
      <td data-label="Waiting" class="number">${ofMost(waiting, rule.waiting)}</td>
    </tr>
  `;
}

function ofMost(jobs: number, most: number | null): string {
  return most === null ? format.integer(jobs) : `${format.integer(jobs)} of ${format.integer(most)}`;
}

customElements.define("project-shares", ProjectShares);
