// All runs. The tracking store filters, sorts and pages them; the live stream updates the visible ones. The query is in
// the link.

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { ApiError, type JobsQuery, api } from "../api/api";
import { JOB_STATES, type JobRow, type JobStateName, type JobSummary } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import { type Column, columnNames, columnsOf, isField } from "../parts/run-columns";
import "../parts/bulk-actions";
import "../parts/new-job";
import "../parts/run-groups";
import "../parts/run-settings";
import { jobLink, keep, link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const PAGE = 50;
const MOST_SELECTED = 100;
const TYPING_MILLIS = 250;

// Fields to group runs by; a link can use any field of a job.
const FIELDS = ["network", "dataset", "state", "tag", "project", "batchSize", "optimizer.type", "optimizer.learningRate", "seed"];

class RunsView extends PageElement {
  static override properties = {
    query: {},
    jobs: { state: true },
    total: { state: true },
    fields: { state: true },
    problem: { state: true },
    selected: { state: true },
    composing: { state: true },
  };

  declare query: string;
  declare private jobs: readonly JobRow[] | null; // null until the first response
  declare private total: number;
  declare private fields: readonly string[]; // of the commands in the list
  declare private problem: string;
  declare private selected: ReadonlySet<string>;
  declare private composing: boolean;

  private typing: number | undefined;
  private readonly refresher = new Refresher((signal) => this.read(signal));

  constructor() {
    super();
    this.query = "";
    this.jobs = null;
    this.total = 0;
    this.fields = [];
    this.problem = "";
    this.selected = new Set();
    this.composing = false;
    new Subscriber(this, (change) => {
      // A changed job may now belong on this page of the list.
      const unseen =
        change.forecasts && this.jobs?.some((job) => job.state === "queued" && !store.isNext(job.job));
      if (change.snapshot || unseen || [...change.jobs].some((job) => !this.jobs?.some((row) => row.job === job))) {
        this.refresher.request();
      }
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
    clearTimeout(this.typing);
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("query")) {
      this.refresher.reset();
      this.refresher.request();
    }
  }

  private get by(): string {
    return new URLSearchParams(this.query).get("by") ?? "";
  }

  private get request(): JobsQuery & { page: number } {
    const query = new URLSearchParams(this.query);
    const page = Math.max(1, Math.trunc(Number(query.get("page"))) || 1);
    return {
      text: query.get("text") ?? "",
      tag: query.get("tag") ?? "",
      project: query.get("project") ?? "",
      where: query.get("where") ?? "",
      fields: [...columnNames(query.get("columns")).filter(isField), "id"].join(","),
      state: (query.get("state")?.split(",") ?? []).filter((state): state is JobStateName =>
        (JOB_STATES as readonly string[]).includes(state),
      ),
      sort: query.get("sort") ?? "submitted",
      order: query.get("order") === "asc" ? "asc" : "desc",
      limit: PAGE,
      offset: (page - 1) * PAGE,
      page,
    };
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { page: _, ...query } = this.request;
    try {
      const { jobs, total, fields } = await api.jobs(query, signal);
      this.jobs = jobs;
      this.fields = fields.filter((field) => field !== "id" && !field.startsWith("sweep."));
      this.total = total;
      this.problem = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.problem = problem.message;
    }
  }

  protected override render() {
    const request = this.request;
    return html`
      <section aria-labelledby="runs-heading">
        <div class="title">
          <h2 id="runs-heading">Runs</h2>
          <span class="quiet" id="total">${this.jobs ? format.count(this.total, "run") : ""}</span>
          <span class="push">
            ${
              store.mayControl
                ? html`<button
                    type="button"
                    aria-expanded=${this.composing}
                    @click=${() => (this.composing = !this.composing)}
                  >
                    New job
                  </button>`
                : nothing
            }
          </span>
        </div>
        ${
          this.composing
            ? html`<new-job .command=${EXAMPLE} @close=${() => (this.composing = false)}></new-job>`
            : nothing
        }
        ${this.filters(request)} <run-settings .query=${this.query} .fields=${this.fields}></run-settings>
        ${this.problem ? html`<p class="reason" role="alert">${this.problem}</p>` : nothing}
        ${
          this.by
            ? html`<run-groups
                .by=${this.by}
                .state=${request.state?.join(",") ?? ""}
                .text=${request.text ?? ""}
                .tag=${request.tag ?? ""}
                .project=${request.project ?? ""}
                .where=${request.where ?? ""}
              ></run-groups>`
            : html`${this.table(request)} ${this.pages(request.page)}`
        }
      </section>
    `;
  }

  private filters({ text: words, tag, project, state = [] }: JobsQuery) {
    const toggled = (name: JobStateName): string =>
      JOB_STATES.filter((each) => (each === name ? !state.includes(each) : state.includes(each))).join(",");
    return html`
      <div class="toolbar" role="search">
        <input
          type="search"
          id="search"
          placeholder="Search id, network, dataset, worker"
          aria-label="Search"
          .value=${words ?? ""}
          @input=${this.search}
        />
        <div class="chips" role="group" aria-label="States">
          ${JOB_STATES.map(
            (name) =>
              html`<button
                type="button"
                class="chip"
                aria-pressed=${state.includes(name)}
                @click=${() => keep({ state: toggled(name), page: null })}
              >
                ${format.stateWord(name)}
              </button>`,
          )}
        </div>
        ${tag ? this.chosen("tag", tag) : nothing} ${project ? this.chosen("project", project) : nothing}
        <label>
          Group by
          <select id="by" @change=${(event: Event) => keep({ by: (event.target as HTMLSelectElement).value, page: null })}>
            ${[...new Set(["", ...FIELDS, this.by])].map(
              (field) => html`<option value=${field} ?selected=${field === this.by}>${field || "nothing"}</option>`,
            )}
          </select>
        </label>
        ${this.by ? nothing : html`<span class="push" id="selection">${this.selection()}</span>`}
      </div>
    `;
  }

  // The active filters; a click removes one.
  private chosen(name: "tag" | "project", value: string) {
    const widen = () => keep({ [name]: null, page: null });
    return html`<button type="button" class="chip" aria-pressed="true" @click=${widen}>${name} ${value} ✕</button>`;
  }

  private selection() {
    if (this.selected.size === 0) return html`<span class="quiet">Select runs to compare them</span>`;
    const jobs = [...this.selected].join(",");
    return html`
      <a class="button" href=${link("compare", { jobs })}>Compare ${this.selected.size}</a>
      <bulk-actions .jobs=${[...this.selected]}></bulk-actions>
      <button type="button" @click=${this.selectAll}>Select all here</button>
      <button type="button" @click=${() => (this.selected = new Set())}>Clear</button>
    `;
  }

  private table(request: JobsQuery) {
    if (!this.jobs) return nothing;
    if (this.jobs.length === 0) {
      const all = !request.text && !request.tag && !request.project && !request.where && request.state?.length === 0;
      return html`<p class="empty" id="no-runs">
        ${all ? html`No jobs yet: <code>./trainyard submit docs/examples/first.json</code>` : "No run fits."}
      </p>`;
    }
    const chosen = new URLSearchParams(this.query).get("columns");
    const shown = columnsOf(columnNames(chosen), chosen !== null, this.jobs);
    return html`
      <label class="narrow">
        Sort by
        <select @change=${(event: Event) => keep({ sort: (event.target as HTMLSelectElement).value, page: null })}>
          ${[{ title: "Newest", sort: "submitted" }, ...shown].map(({ title, sort }) =>
            sort ? html`<option value=${sort} ?selected=${sort === request.sort}>${title}</option>` : nothing,
          )}
        </select>
      </label>
      <div class="scroll" tabindex="0" role="group" aria-label="Runs">
        <table class="list" id="jobs">
          <thead>
            <tr>
              <th scope="col"><span class="hidden">Select</span></th>
              ${this.head("Job", "job", "", request)}
              ${shown.map(({ title, sort, className, wide }) => this.head(title, sort, className + (wide ? " wide" : ""), request))}
            </tr>
          </thead>
          <tbody>
            ${repeat(
              this.jobs,
              (job) => job.job,
              (row) => this.row(shown, store.jobs.get(row.job) ?? row, row),
            )}
          </tbody>
        </table>
      </div>
    `;
  }

  private head(title: string, sort: string | undefined, className: string, request: JobsQuery) {
    const plain = className.replace(/bar|statecell/, "");
    if (!sort) return html`<th scope="col" class=${plain}>${title}</th>`;
    const current = request.sort === sort;
    const next = current && request.order === "desc" ? "asc" : "desc";
    return html`<th
      scope="col"
      class=${plain}
      aria-sort=${current ? (request.order === "asc" ? "ascending" : "descending") : nothing}
    >
      <button type="button" class="sort" @click=${() => keep({ sort, order: next, page: null })}>${title}</button>
    </th>`;
  }

  private row(columns: readonly Column[], job: JobSummary, row: JobRow) {
    const chosen = this.selected.has(job.job);
    const tags = job.tags ?? [];
    return html`
      <tr data-key=${job.job} data-state=${job.state} ?data-chosen=${chosen}>
        <td class="choose">
          <input
            type="checkbox"
            aria-label="Select ${job.job}"
            .checked=${chosen}
            ?disabled=${!chosen && this.selected.size >= MOST_SELECTED}
            @change=${() => this.choose(job.job)}
          />
        </td>
        <td class="id" title=${job.job}>
          <a href=${jobLink(job.job)}>${job.job}</a>
          ${tags.map((tag) => html`<a class="tag" href=${link("runs", { tag })}>${tag}</a>`)}
        </td>
        ${columns.map(({ title, className, wide, cell }) => {
          const shown = cell(job, row);
          return html`<td class=${className + (wide ? " wide" : "")} data-label=${title} ?data-empty=${shown === format.NONE}>${shown}</td>`;
        })}
      </tr>
    `;
  }

  private pages(page: number) {
    const last = Math.max(1, Math.ceil(this.total / PAGE));
    if (last === 1) return nothing;
    return html`
      <nav class="pages" aria-label="Pages of the list">
        <button type="button" ?disabled=${page <= 1} @click=${() => keep({ page: String(page - 1) })}>Newer</button>
        <span>Page ${page} of ${last}</span>
        <button type="button" ?disabled=${page >= last} @click=${() => keep({ page: String(page + 1) })}>Older</button>
      </nav>
    `;
  }

  private choose(job: string): void {
    const selected = new Set(this.selected);
    if (!selected.delete(job)) selected.add(job);
    this.selected = selected;
  }

  private readonly selectAll = (): void => {
    const all = [...this.selected, ...(this.jobs ?? []).map((job) => job.job)];
    this.selected = new Set([...new Set(all)].slice(0, MOST_SELECTED));
  };

  private readonly search = (event: Event): void => {
    const words = (event.target as HTMLInputElement).value;
    clearTimeout(this.typing);
    this.typing = window.setTimeout(() => keep({ text: words, page: null }), TYPING_MILLIS);
  };
}

const EXAMPLE = { network: "fashion", dataset: "shapes28", epochs: 5, optimizer: { type: "adam" } };

customElements.define("runs-view", RunsView);
