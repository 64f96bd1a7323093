// A job's tags and note, editable with permission.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import { PageElement } from "../element";
import { link } from "../router";
import { store } from "../state/store";

class JobNotes extends PageElement {
  static override properties = {
    job: {},
    tags: { attribute: false },
    note: {},
    editing: { state: true },
    problem: { state: true },
  };

  declare job: string;
  declare tags: readonly string[];
  declare note: string;
  declare private editing: boolean;
  declare private problem: string;

  constructor() {
    super();
    this.job = "";
    this.tags = [];
    this.note = "";
    this.editing = false;
    this.problem = "";
  }

  protected override render() {
    return this.editing ? this.form() : this.shown();
  }

  private shown() {
    const empty = this.tags.length === 0 && !this.note;
    if (empty && !store.mayWrite) return nothing;
    return html`
      <div class="notes" id="notes">
        ${this.tags.map((tag) => html`<a class="tag" href=${link("runs", { tag })}>${tag}</a>`)}
        ${this.note ? html`<span class="text">${this.note}</span>` : nothing}
        ${
          store.mayWrite
            ? html`<button type="button" class="quiet" @click=${() => (this.editing = true)}>
                ${empty ? "Add tags or a note" : "Edit"}
              </button>`
            : nothing
        }
      </div>
    `;
  }

  private form() {
    return html`
      <form class="sheet" id="notes-form" aria-label="Tags and note" @submit=${this.save}>
        <div class="fields">
          <label
            ><span class="name">Tags, with commas between them</span><input name="tags" .value=${this.tags.join(", ")}
          /></label>
          <label class="wide"
            ><span class="name">Note</span><textarea name="note" rows="3" .value=${this.note}></textarea>
          </label>
        </div>
        ${this.problem ? html`<p class="reason" role="alert">${this.problem}</p>` : nothing}
        <p class="toolbar">
          <button class="primary">Save</button>
          <button type="button" @click=${() => (this.editing = false)}>Close</button>
        </p>
      </form>
    `;
  }

  private readonly save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const words = String(form.get("tags"))
      .split(",")
      .map((tag) => tag.trim());
    const tags = [...new Set(words.filter((tag) => tag !== ""))];
    const note = String(form.get("note")).trim();
    try {
      await api.annotate(this.job, { tags, note });
      this.tags = tags;
      this.note = note;
      this.editing = false;
      this.problem = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      this.problem = problem.message;
    }
  };
}

customElements.define("job-notes", JobNotes);
