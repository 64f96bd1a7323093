// Control requests for a job, for users with permission.

import { html, nothing } from "lit";
import { type Answer, ApiError, api } from "../api/api";
import type { JobSummary, JsonObject } from "../api/types";
import { PageElement } from "../element";
import { isOver } from "../format";
import { store } from "../state/store";
import "./new-job";

const PRIORITIES = ["high", "normal", "low"] as const;

class JobActions extends PageElement {
  static override properties = {
    summary: { attribute: false },
    command: { attribute: false },
    priority: {},
    message: { state: true },
    failed: { state: true },
    cloning: { state: true },
    sure: { state: true },
  };

  declare summary: JobSummary;
  declare command: JsonObject | null;
  declare priority: string | null;
  declare private message: string;
  declare private failed: boolean;
  declare private cloning: boolean;
  declare private sure: boolean; // waiting for confirmation

  constructor() {
    super();
    this.command = null;
    this.priority = null;
    this.message = "";
    this.failed = false;
    this.cloning = false;
    this.sure = false;
  }

  protected override render() {
    if (!store.mayControl) return nothing;
    const { job, state } = this.summary;
    const over = isOver(state);
    return html`
      <div class="toolbar" id="actions" role="group" aria-label="Actions">
        ${
          state === "running" || state === "queued"
            ? html`<button type="button" @click=${() => this.control("pause")}>Pause</button>`
            : nothing
        }
        ${state === "paused" ? html`<button type="button" @click=${() => this.control("resume")}>Resume</button>` : nothing}
        ${over ? nothing : this.cancelButtons()}
        ${
          over
            ? nothing
            : html`<label>
                Priority
                <select
                  aria-label="Priority of ${job}"
                  @change=${(event: Event) => this.reprioritize((event.target as HTMLSelectElement).value)}
                >
                  ${PRIORITIES.map((name) => html`<option ?selected=${name === (this.priority ?? "normal")}>${name}</option>`)}
                </select>
              </label>`
        }
        ${
          this.command
            ? html`<button type="button" aria-expanded=${this.cloning} @click=${() => (this.cloning = !this.cloning)}>
                Clone and edit
              </button>`
            : nothing
        }
        <span role="status" class=${this.failed ? "bad" : "quiet"} id="said">${this.message}</span>
      </div>
      ${
        this.cloning && this.command
          ? html`<new-job .command=${this.command} @close=${() => (this.cloning = false)}></new-job>`
          : nothing
      }
    `;
  }

  // Cancelling cannot be undone, so it requires confirmation.
  private cancelButtons() {
    return this.sure
      ? html`
          <button type="button" class="danger" id="cancel-sure" @click=${() => this.control("cancel")}>
            Yes, cancel it
          </button>
          <button type="button" @click=${() => (this.sure = false)}>No</button>
        `
      : html`<button type="button" id="cancel" @click=${() => (this.sure = true)}>Cancel</button>`;
  }

  private control(action: "cancel" | "pause" | "resume"): Promise<void> {
    this.sure = false;
    return this.show(api.control(this.summary.job, action));
  }

  private reprioritize(priority: string): Promise<void> {
    return this.show(api.reprioritize(this.summary.job, priority));
  }

  private async show(request: Promise<Answer>): Promise<void> {
    try {
      const { job, sentence } = await request;
      this.failed = false;
      this.message = `${job} ${sentence}`;
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.failed = true;
      this.message = problem.message;
    }
  }
}

customElements.define("job-actions", JobActions);
