// What can be asked of all runs that are selected, in one call.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import { PageElement } from "../element";
import { count } from "../format";
import { store } from "../state/store";

type Action = "pause" | "resume" | "cancel";

const ACTIONS: Readonly<Record<Action, string>> = { pause: "Pause", resume: "Resume", cancel: "Cancel" };
const TOLD = 3; // refusals that are told one by one

class BulkActions extends PageElement {
  static override properties = {
    jobs: { attribute: false },
    sweep: { attribute: false },
    said: { state: true },
    sure: { state: true },
  };

  declare jobs: readonly string[];
  declare sweep: string; // whose they all are; empty: they are meant one by one
  declare private said: string;
  declare private sure: boolean; // asked whether to cancel

  constructor() {
    super();
    this.jobs = [];
    this.sweep = "";
    this.said = "";
    this.sure = false;
  }

  protected override render() {
    const said = html`<span role="status" class="quiet" id="bulk-said">${this.said}</span>`;
    if (!store.mayWrite || this.jobs.length === 0) return this.said ? said : nothing;
    return html`
      ${
        this.sure
          ? html`
              <button type="button" class="danger" @click=${() => this.ask("cancel")}>
                Yes, cancel ${count(this.jobs.length, "run")}
              </button>
              <button type="button" @click=${() => (this.sure = false)}>No</button>
            `
          : (Object.keys(ACTIONS) as Action[]).map(
              (action) =>
                html`<button
                  type="button"
                  data-action=${action}
                  @click=${() => (action === "cancel" ? (this.sure = true) : this.ask(action))}
                >
                  ${ACTIONS[action]}
                </button>`,
            )
      }
      ${said}
    `;
  }

  private async ask(action: Action): Promise<void> {
    this.sure = false;
    try {
      const { results } = await (this.sweep ? api.bulkSweep(action, this.sweep) : api.bulk(action, this.jobs));
      const refused = results.filter(({ ok }) => !ok);
      const told = refused.slice(0, TOLD).map(({ job, sentence }) => `${job} ${sentence}`);
      if (refused.length > TOLD) told.push(`and ${refused.length - TOLD} more`);
      this.said = [`Asked of ${count(results.length - refused.length, "run")}.`, ...told].join(" ");
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.said = problem.message;
    }
  }
}

customElements.define("bulk-actions", BulkActions);
