// A form for a new job, prefilled from another one: parameters as fields, or the whole job as JSON. The dashboard
// validates it like every command, and responds with a sentence.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import type { Json, JsonObject } from "../api/types";
import { PageElement } from "../element";
import { jobLink } from "../router";
import { type Parameter, inWords, parametersOf, withParameter } from "./parameters";

class NewJob extends PageElement {
  static override properties = {
    command: { attribute: false },
    edited: { state: true },
    text: { state: true },
    problem: { state: true },
    sending: { state: true },
  };

  declare command: JsonObject; // the initial job
  declare private edited: JsonObject;
  declare private text: string | null; // the JSON while it is edited
  declare private problem: string;
  declare private sending: boolean;
  private begun = new Map<string, Json>(); // initial values of fields, whose types are retained

  constructor() {
    super();
    this.command = {};
    this.edited = {};
    this.text = null;
    this.problem = "";
    this.sending = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.edited = withNewId(this.command);
    this.begun = new Map(parametersOf(this.edited));
  }

  protected override firstUpdated(): void {
    this.querySelector<HTMLElement>("input")?.focus();
  }

  protected override render() {
    return html`
      <form class="sheet" id="new-job" aria-label="New job" @submit=${this.submit}>
        ${
          this.text === null
            ? html`<div class="fields">${parametersOf(this.edited).map((parameter) => this.field(parameter))}</div>`
            : html`<textarea
                aria-label="The job as JSON"
                rows="16"
                spellcheck="false"
                .value=${this.text}
                @input=${(event: Event) => (this.text = (event.target as HTMLTextAreaElement).value)}
              ></textarea>`
        }
        ${this.problem ? html`<p class="reason" role="alert" id="submit-problem">${this.problem}</p>` : nothing}
        <p class="toolbar">
          <button class="primary" ?disabled=${this.sending}>Submit</button>
          <button type="button" @click=${this.toggleText}>
            ${this.text === null ? "Edit as JSON" : "Edit as fields"}
          </button>
          <button type="button" @click=${() => this.dispatchEvent(new CustomEvent("close"))}>Close</button>
        </p>
      </form>
    `;
  }

  private field([path, value]: Parameter) {
    if (value !== null && typeof value === "object") {
      return html`<div>
        <span class="name">${path}</span><span class="quiet">${inWords(value)}: edit as JSON</span>
      </div>`;
    }
    if (typeof value === "boolean") {
      return html`<label>
        <span class="name">${path}</span>
        <input
          type="checkbox"
          .checked=${value}
          @change=${(event: Event) => this.set(path, (event.target as HTMLInputElement).checked)}
        />
      </label>`;
    }
    return html`<label>
      <span class="name">${path}</span>
      <input
        type="text"
        name=${path}
        inputmode=${typeof value === "number" ? "decimal" : "text"}
        .value=${String(value ?? "")}
        @change=${(event: Event) => this.set(path, read((event.target as HTMLInputElement).value, this.begun.get(path) ?? value))}
      />
    </label>`;
  }

  private set(path: string, value: Json | undefined): void {
    this.edited = withParameter(this.edited, path, value);
  }

  private readonly toggleText = (): void => {
    if (this.text === null) {
      this.text = JSON.stringify(this.edited, null, 2);
    } else if (this.takeText()) {
      this.text = null;
    }
  };

  private takeText(): boolean {
    try {
      this.edited = JSON.parse(this.text ?? "") as JsonObject;
      this.problem = "";
      return true;
    } catch (problem) {
      this.problem = `This is not JSON: ${(problem as Error).message}.`;
      return false;
    }
  }

  private readonly submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (this.sending || (this.text !== null && !this.takeText())) return;
    this.sending = true;
    this.problem = "";
    try {
      const { jobs } = await api.submit(this.edited);
      location.hash = jobLink(jobs[0]!);
      this.dispatchEvent(new CustomEvent("close"));
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.problem = problem.message;
    } finally {
      this.sending = false;
    }
  };
}

// A number stays a number if it is still valid; an empty field is removed.
function read(text: string, before: Json): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return typeof before === "number" && !Number.isNaN(Number(trimmed)) ? Number(trimmed) : trimmed;
}

// Ids are unique, so the new job does not get the old one's.
function withNewId(command: JsonObject): JsonObject {
  const { id, ...rest } = command;
  const random = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36).slice(0, 5).padStart(5, "0");
  const network = typeof command["network"] === "string" ? command["network"] : "job";
  const stem = typeof id === "string" ? id.replace(/-[0-9a-z]{5}$/, "").slice(0, 90) : network;
  return { id: `${stem}-${random}`, ...rest };
}

customElements.define("new-job", NewJob);
