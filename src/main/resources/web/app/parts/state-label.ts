// A state as a word with a sign, so that it does not depend on colour.

import { html } from "lit";
import type { JobStateName } from "../api/types";
import { stateWord } from "../format";

export function label(state: string, word: string) {
  return html`<span class="state" data-state=${state}>${word}</span>`;
}

export function stateLabel(state: JobStateName) {
  return label(state, stateWord(state));
}
