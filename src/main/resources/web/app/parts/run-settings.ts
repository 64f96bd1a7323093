// The columns of the list of runs, conditions on fields, and saved views, which are queries of the link with names.

import { html, nothing } from "lit";
import { PageElement } from "../element";
import { keep, openRuns } from "../router";
import { OWN_NAMES, columnNames, titleOf } from "./run-columns";

const STORED = "trainyard.views"; // in the browser's storage
const MOST_VIEWS = 50;

type Views = Record<string, string>; // queries by name

function readViews(): Views {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    const entries = stored !== null && typeof stored === "object" ? Object.entries(stored) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {}; // no storage here, or another program's text
  }
}

class RunSettings extends PageElement {
  static override properties = {
    query: {},
    fields: { attribute: false },
    views: { state: true },
    naming: { state: true },
    problem: { state: true },
  };

  declare query: string; // of the link
  declare fields: readonly string[]; // of the commands in the list
  declare private views: Views;
  declare private naming: boolean;
  declare private problem: string;

  constructor() {
    super();
    this.query = "";
    this.fields = [];
    this.views = readViews();
    this.naming = false;
    this.problem = "";
  }

  protected override render() {
    const query = new URLSearchParams(this.query);
    const chosen = columnNames(query.get("columns"));
    const where = query.get("where") ?? "";
    return html`
      <div class="toolbar settings">
        <form class="where" @submit=${this.filter}>
          <label>
            Filter
            <input
              id="where"
              type="search"
              placeholder="optimizer.learningRate > 0.01 and batchSize = 64"
              autocomplete="off"
              .value=${where}
            />
          </label>
          <button>Apply</button>
          ${where ? html`<button type="button" @click=${() => keep({ where: null, page: null })}>Clear filter</button>` : nothing}
        </form>
        ${this.savedViews()}
      </div>
      <details id="columns">
        <summary>Columns</summary>
        <fieldset class="choices">
          <legend class="hidden">Columns</legend>
          ${[...new Set([...OWN_NAMES, ...chosen, ...this.fields])].map(
            (name) =>
              html`<label>
                <input
                  type="checkbox"
                  name=${name}
                  .checked=${chosen.includes(name)}
                  @change=${() => this.toggle(chosen, name)}
                />
                ${titleOf(name)}
              </label>`,
          )}
          ${
            query.has("columns")
              ? html`<button type="button" @click=${() => keep({ columns: null })}>Default columns</button>`
              : nothing
          }
        </fieldset>
      </details>
    `;
  }

  private savedViews() {
    const names = Object.keys(this.views).sort();
    const current = names.find((name) => this.views[name] === this.query) ?? "";
    return html`
      <span class="views">
        ${
          names.length > 0
            ? html`<label>
                View
                <select id="views" @change=${(event: Event) => openRuns(this.views[(event.target as HTMLSelectElement).value] ?? "")}>
                  <option value="">all runs</option>
                  ${names.map((name) => html`<option value=${name} ?selected=${name === current}>${name}</option>`)}
                </select>
              </label>`
            : nothing
        }
        ${
          this.naming
            ? html`<form @submit=${this.save}>
                <input id="view-name" aria-label="Name of the view" maxlength="60" required />
                <button class="primary">Save</button>
                <button type="button" @click=${() => (this.naming = false)}>Close</button>
              </form>`
            : html`<button type="button" id="save-view" @click=${this.name}>Save view</button>`
        }
        ${current ? html`<button type="button" @click=${() => this.forget(current)}>Delete view</button>` : nothing}
        ${this.problem ? html`<span class="bad" role="alert">${this.problem}</span>` : nothing}
      </span>
    `;
  }

  private readonly filter = (event: Event): void => {
    event.preventDefault();
    keep({ where: this.querySelector<HTMLInputElement>("#where")!.value.trim(), page: null });
  };

  private toggle(chosen: readonly string[], name: string): void {
    const columns = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    keep({ columns: columns.join(",") });
  }

  private readonly name = async (): Promise<void> => {
    this.naming = true;
    await this.updateComplete;
    this.querySelector<HTMLElement>("#view-name")?.focus();
  };

  private readonly save = (event: Event): void => {
    event.preventDefault();
    const name = this.querySelector<HTMLInputElement>("#view-name")!.value.trim();
    if (name) this.store({ ...this.views, [name]: this.query });
    this.naming = false;
  };

  private forget(name: string): void {
    const { [name]: _, ...others } = this.views;
    this.store(others);
  }

  private store(views: Views): void {
    if (Object.keys(views).length > MOST_VIEWS) {
      this.problem = `There are ${MOST_VIEWS} views; delete one first.`;
      return;
    }
    try {
      localStorage.setItem(STORED, JSON.stringify(views));
      this.views = views;
      this.problem = "";
    } catch {
      this.problem = "The browser stores no data of this page; save the address instead.";
    }
  }
}

customElements.define("run-settings", RunSettings);
