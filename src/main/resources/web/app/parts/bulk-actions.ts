// Control requests for all selected runs, in one call.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import { PageElement } from "../element";
import { count } from "../format";
import { store } from "../state/store";

type Action = "pause" | "resume" | "cancel";

const ACTIONS: Readonly<Record<Action, string>> = { pause: "Pause", resume: "Resume", cancel: "Cancel" };
const LISTED = 3; // refusals that are shown individually

class BulkActions extends PageElement {
  static override properties = {
    jobs: { attribute: false },
    sweep: { attribute: false },
    message: { state: true },
    sure: { state: true },
  };

  declare jobs: readonly string[];
  declare sweep: string; // of all the jobs; empty: they were selected individually
  declare private message: string;
  declare private sure: boolean; // waiting for confirmation

  constructor() {
    super();
    this.jobs = [];
    this.sweep = "";
    this.message = "";
    this.sure = false;
  }

  protected override render() {
    const message = html`<span role="status" class="quiet" id="bulk-said">${this.message}</span>`;
    if (!store.mayControl || this.jobs.length === 0) return this.message ? message : nothing;
    return html`
      ${
        this.sure
          ? html`
              <button type="button" class="danger" @click=${() => this.request("cancel")}>
                Yes, cancel ${count(this.jobs.length, "run")}
              </button>
              <button type="button" @click=${() => (this.sure = false)}>No</button>
            `
          : (Object.keys(ACTIONS) as Action[]).map(
              (action) =>
                html`<button
                  type="button"
                  data-action=${action}
                  @click=${() => (action === "cancel" ? (this.sure = true) : this.request(action))}
                >
                  ${ACTIONS[action]}
                </button>`,
            )
      }
      ${message}
    `;
  }

  private async request(action: Action): Promise<void> {
    this.sure = false;
    try {
      const { results } = await (this.sweep ? api.bulkSweep(action, this.sweep) : api.bulk(action, this.jobs));
      const refused = results.filter(({ ok }) => !ok);
      const sentences = refused.slice(0, LISTED).map(({ job, sentence }) => `${job} ${sentence}`);
      if (refused.length > LISTED) sentences.push(`and ${refused.length - LISTED} more`);
      this.message = [`Asked of ${count(results.length - refused.length, "run")}.`, ...sentences].join(" ");
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.message = problem.message;
    }
  }
}

customElements.define("bulk-actions", BulkActions);
