// Base of all elements. They render into the document, so one style sheet and one set of ids apply to the whole page.
// Text from users is inserted through Lit's bindings only, never as markup.

import { LitElement } from "lit";

export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
