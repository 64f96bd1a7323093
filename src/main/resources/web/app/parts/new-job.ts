// A form for a new job, prefilled from another one: fields with choices and defaults, and the job as JSON next to them,
// each of which changes the other. The dashboard checks the job like every command, and responds with a sentence.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import type { Choices, Json, JsonObject } from "../api/types";
import { PageElement } from "../element";
import { count } from "../format";
import { jobLink } from "../router";
import { inWords, parametersOf, valueAt, withParameter } from "./parameters";

const CHECK_MILLIS = 600; // without typing
const WHOLE = /^\d+$/;

let known: Promise<Choices> | null = null;

function choices(): Promise<Choices> {
  known ??= api.choices().catch((problem: unknown) => {
    known = null; // the next form asks again
    throw problem;
  });
  return known;
}

// Fields that are always shown, in this order.
const FIRST: readonly string[] = ["id", "network", "dataset", "epochs", "batchSize", "shuffle", "device", "seed"];
const DEVICES: readonly string[] = ["auto", "cpu", "cuda"];

class NewJob extends PageElement {
  static override properties = {
    command: { attribute: false },
    edited: { state: true },
    text: { state: true },
    problem: { state: true },
    checked: { state: true },
    sending: { state: true },
    choices: { state: true },
  };

  declare command: JsonObject; // the initial job
  declare private edited: JsonObject;
  declare private text: string; // the JSON, as it was edited
  declare private problem: string;
  declare private checked: string; // the result of the last check, if there is no problem
  declare private sending: boolean;
  declare private choices: Choices | null; // null until the response
  private timer: number | undefined;
  private checks = 0;

  constructor() {
    super();
    this.command = {};
    this.edited = {};
    this.text = "";
    this.problem = "";
    this.checked = "";
    this.sending = false;
    this.choices = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.edited = withNewId(this.command);
    this.text = JSON.stringify(this.edited, null, 2);
    choices().then(
      (all) => (this.choices = all),
      () => undefined, // the form works without choices
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override firstUpdated(): void {
    this.querySelector<HTMLElement>("input")?.focus();
  }

  protected override render() {
    return html`
      <form class="sheet" id="new-job" aria-label="New job" novalidate @submit=${this.submit}>
        <!-- First, so that messages between pressing and releasing a button do not move it. -->
        <p class="toolbar">
          <button class="primary" ?disabled=${this.sending}>Submit</button>
          <button type="button" @click=${() => this.dispatchEvent(new CustomEvent("close"))}>Close</button>
          <span role="status" class="quiet" id="checked">${this.checked}</span>
        </p>
        ${this.problem ? html`<p class="reason" role="alert" id="submit-problem">${this.problem}</p>` : nothing}
        <div class="halves">
          <div class="fields">${this.fields().map((parameter) => this.field(parameter))} ${this.more()}</div>
          <label class="json">
            <span class="name">The same as JSON</span>
            <textarea rows="18" spellcheck="false" .value=${this.text} @input=${this.takeText}></textarea>
          </label>
        </div>
      </form>
    `;
  }

  // The parameters of the job, and those that it could have, with undefined values.
  private fields(): [string, Json | undefined][] {
    const own = new Map<string, Json | undefined>(parametersOf(this.edited));
    const optimizer = this.defaultsOf("optimizer.");
    const first = [...FIRST, "optimizer.type", ...optimizer.keys()].filter(
      (path) => !own.has(path) && ![...own.keys()].some((other) => other.startsWith(path + ".")),
    );
    for (const path of first) own.set(path, undefined);
    const order = [...FIRST, "optimizer.type"];
    const place = (path: string): number => {
      const i = order.indexOf(path.split(".")[0] === "dataset" ? "dataset" : path);
      return i >= 0 ? i : path.startsWith("optimizer.") ? order.length : order.length + 1;
    };
    return [...own].sort(([a], [b]) => place(a) - place(b));
  }

  // Defaults by path; those of the optimizer depend on its type.
  private defaultsOf(prefix: string): Map<string, Json> {
    const { choices: all } = this;
    if (!all) return new Map();
    const type = valueAt(this.edited, "optimizer.type") ?? "sgd";
    const optimizer = all.optimizers.find((one) => one["type"] === type);
    const job = { ...all.defaults, optimizer: optimizer ?? {} };
    return new Map(parametersOf(job).filter(([path, value]) => path.startsWith(prefix) && value !== null));
  }

  private options(path: string): readonly string[] | null {
    switch (path) {
      case "network":
        return this.choices?.networks ?? null;
      case "dataset":
      case "dataset.name":
        return this.choices?.datasets ?? null;
      case "optimizer.type":
        return this.choices?.optimizers.map((one) => String(one["type"])) ?? null;
      case "device":
        return DEVICES;
      default:
        return null;
    }
  }

  private field([path, value]: [string, Json | undefined]) {
    if (value !== null && typeof value === "object") {
      return html`<div>
        <span class="name">${path}</span><span class="quiet">${inWords(value)}: edit as JSON</span>
      </div>`;
    }
    const fallback = this.defaultsOf("").get(path);
    const example = fallback ?? valueAt(this.command, path) ?? value; // has the type
    const options = this.options(path);
    const standard = fallback === undefined || REQUIRED.has(path) ? "" : `default ${inWords(fallback)}`;
    if (options || typeof example === "boolean") {
      const all = options ?? ["true", "false"];
      const shown = value === undefined || value === null ? "" : String(value);
      const choose = (event: Event): void => {
        const chosen = (event.target as HTMLSelectElement).value;
        if (path === "optimizer.type") this.changeOptimizer(chosen);
        else this.set(path, chosen === "" ? undefined : options ? chosen : chosen === "true");
      };
      return html`<label>
        <span class="name">${path}</span>
        <select name=${path} @change=${choose}>
          ${REQUIRED.has(path) && shown !== "" ? nothing : html`<option value="" ?selected=${shown === ""}>${standard || "choose"}</option>`}
          ${[...new Set([...all, ...(shown ? [shown] : [])])].map(
            (one) => html`<option value=${one} ?selected=${one === shown}>${one}</option>`,
          )}
        </select>
      </label>`;
    }
    const mistake = mistakeOf(path, value, fallback);
    return html`<label>
      <span class="name">${path}</span>
      <input
        type="text"
        name=${path}
        inputmode=${typeof example === "number" ? "decimal" : "text"}
        placeholder=${standard}
        aria-invalid=${mistake ? "true" : nothing}
        .value=${value === undefined || value === null ? "" : inWords(value)}
        @change=${(event: Event) => this.set(path, read((event.target as HTMLInputElement).value, example))}
      />
      ${mistake ? html`<span class="bad">${mistake}</span>` : nothing}
    </label>`;
  }

  // Other fields, with their defaults.
  private more() {
    const shown = this.fields().map(([path]) => path);
    const others = [...this.defaultsOf("")].filter(
      ([path]) => !path.startsWith("optimizer.") && !shown.includes(path) && !shown.some((own) => own.startsWith(path + ".") || path.startsWith(own + ".")),
    );
    if (others.length === 0) return nothing;
    const add = (event: Event): void => {
      const select = event.target as HTMLSelectElement;
      const path = select.value;
      select.value = "";
      const found = others.find(([other]) => other === path);
      if (found) this.set(path, found[1]);
    };
    return html`<label>
      <span class="name">Add a field</span>
      <select id="add-field" @change=${add}>
        <option value="">choose</option>
        ${others.map(([path, value]) => html`<option value=${path}>${path} (default ${inWords(value)})</option>`)}
      </select>
    </label>`;
  }

  // Fields of the other type are removed, except those that both have.
  private changeOptimizer(type: string): void {
    const before = this.edited["optimizer"];
    const known = this.choices?.optimizers.find((one) => one["type"] === type) ?? {};
    const kept = before !== null && typeof before === "object" && !Array.isArray(before) ? before : {};
    const optimizer = Object.fromEntries(Object.entries(kept).filter(([name]) => name in known && name !== "type"));
    const required: JsonObject = type === "sgd" ? { learningRate: known["learningRate"] ?? null } : {};
    this.set("optimizer", type === "" ? undefined : { type, ...required, ...optimizer });
  }

  private set(path: string, value: Json | undefined): void {
    const edited = withParameter(this.edited, path, value);
    const typeless = path.startsWith("optimizer.") && valueAt(edited, "optimizer.type") === undefined;
    this.edited = typeless ? withParameter(edited, "optimizer.type", "sgd") : edited; // the default
    this.text = JSON.stringify(this.edited, null, 2);
    this.problem = "";
    this.checkLater();
  }

  private readonly takeText = (event: Event): void => {
    this.text = (event.target as HTMLTextAreaElement).value;
    if (this.parse()) this.checkLater();
  };

  private parse(): boolean {
    this.checked = "";
    try {
      const read = JSON.parse(this.text) as Json;
      if (read === null || typeof read !== "object" || Array.isArray(read)) throw new Error("a job is an object");
      this.edited = read;
      this.problem = "";
      return true;
    } catch (problem) {
      this.problem = `This is not a job as JSON: ${(problem as Error).message}.`;
      return false;
    }
  }

  private checkLater(): void {
    this.checked = "";
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), CHECK_MILLIS);
  }

  // The result of an older check is ignored.
  private async check(): Promise<void> {
    const number = ++this.checks;
    let [problem, checked] = ["", ""];
    try {
      const { runs } = await api.check(this.edited);
      checked = `Valid: ${count(runs, "run")}`;
    } catch (refused) {
      if (!(refused instanceof ApiError)) throw refused;
      problem = refused.message;
    }
    if (number !== this.checks || this.sending) return;
    this.problem = problem;
    this.checked = checked;
  }

  private readonly submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (this.sending || !this.parse()) return;
    clearTimeout(this.timer);
    this.checks++;
    this.sending = true;
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

const REQUIRED: ReadonlySet<string> = new Set(["id", "network", "dataset", "dataset.name", "epochs"]);

// A mistake that needs no answer of the dashboard; empty: none is known.
function mistakeOf(path: string, value: Json | undefined, fallback: Json | undefined): string {
  if (value === undefined || value === null) return REQUIRED.has(path) ? "is missing" : "";
  if (path === "epochs" || path === "batchSize") return WHOLE.test(String(value)) && Number(value) > 0 ? "" : "a whole number from 1";
  return typeof fallback === "number" && typeof value !== "number" ? "a number" : "";
}

// A number stays a number if it is still valid; an empty field is removed.
function read(text: string, before: Json | undefined): Json | undefined {
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
