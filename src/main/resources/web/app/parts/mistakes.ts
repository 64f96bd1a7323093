// The worst mistakes of a finished run, with their images, and the download of all predictions.

import { html, nothing } from "lit";
import { ApiError, api, mistakeAddress, predictionsAddress } from "../api/api";
import type { Mistake } from "../api/types";
import { PageElement } from "../element";
import { integer } from "../format";

const percent = (probability: number): string => `${(100 * probability).toFixed(1)} %`;

class WorstMistakes extends PageElement {
  static override properties = { job: {}, found: { state: true } };

  declare job: string;
  declare private found: readonly Mistake[] | null; // null: not read, or nothing is stored

  constructor() {
    super();
    this.job = "";
    this.found = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("job")) void this.read(this.job);
  }

  private async read(job: string): Promise<void> {
    this.found = null;
    try {
      const found = await api.mistakes(job);
      if (job === this.job) this.found = found;
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
    }
  }

  protected override render() {
    const { found, job } = this;
    if (!found) return nothing;
    return html`
      <h3>Mistakes</h3>
      <p class="quiet">
        ${
          found.length === 0
            ? "No test sample is predicted wrong."
            : `The ${integer(found.length)} wrong predictions of the last test with the largest losses.`
        }
        <a id="predictions" href=${predictionsAddress(job)} download>All predictions (CSV)</a>
      </p>
      <ol id="mistakes" class="mistakes">
        ${found.map(
          (mistake, number) =>
            html`<li>
              <img src=${mistakeAddress(job, number)} alt="" loading="lazy" @error=${hide} />
              <span>${mistake.predicted} (${percent(mistake.predictedProbability)})</span>
              <span class="quiet">is ${mistake.label} (${percent(mistake.probability)})</span>
              <span class="quiet uri">${mistake.file ?? `sample ${mistake.index}`}</span>
            </li>`,
        )}
      </ol>
    `;
  }
}

// A sample of a table has no image.
function hide(event: Event): void {
  (event.target as HTMLElement).hidden = true;
}

customElements.define("worst-mistakes", WorstMistakes);
