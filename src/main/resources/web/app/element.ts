// What all elements of the page are: drawn into the document itself, so that one style sheet and one set of ids hold for
// the whole page. Text of others reaches it only through Lit's bindings, never as markup.

import { LitElement } from "lit";

export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
