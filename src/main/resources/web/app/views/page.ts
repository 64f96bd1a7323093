// The frame of all views, with the navigation and the state of the connection.

import { html, nothing } from "lit";
import { PageElement } from "../element";
import { count } from "../format";
import { link, onRoute, route, type Route } from "../router";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";
import "./compare";
import "./fleet";
import "./job";
import "./runs";
import "./sweep";

const NAMES = { fleet: "Fleet", runs: "Runs", compare: "Compare", job: "Run", sweep: "Sweep", unknown: "Unknown address" } as const;

class TrainyardPage extends PageElement {
  private leaveRoute: (() => void) | undefined;
  private shown = "";

  constructor() {
    super();
    new Subscriber(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.leaveRoute = onRoute(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leaveRoute?.();
  }

  protected override render() {
    const here = route();
    const { state, word, sentence } = store.connection;
    return html`
      <a class="skip" href="#content" @click=${this.skip}>Skip to the content</a>
      <header class="top">
        <h1><img src="/favicon.svg" alt="" width="24" height="24" />Trainyard</h1>
        <nav aria-label="Views">${this.tab(here, "fleet")} ${this.tab(here, "runs")}</nav>
        <p id="counts">${this.counts()}</p>
        ${this.user()}
        <p id="connection" role="status" data-state=${state}>${word}</p>
      </header>
      ${sentence ? html`<p id="not-live" role="alert" data-state=${state}>${sentence}</p>` : nothing}
      <main id="content" tabindex="-1" data-state=${state}>${this.view(here)}</main>
    `;
  }

  private user() {
    const { user, signOut } = store.info ?? {};
    if (!user) return nothing;
    return html`<p id="user">${user} ${signOut ? html`<a href=${signOut}>Sign out</a>` : nothing}</p>`;
  }

  private tab(here: Route, view: "fleet" | "runs") {
    const current = here.view === view ? "page" : (here.view === "fleet") === (view === "fleet") ? "true" : nothing;
    return html`<a href=${link(view)} aria-current=${current}>${view === "fleet" && store.isLocal ? "Overview" : NAMES[view]}</a>`;
  }

  private counts() {
    if (!store.hasData) return nothing;
    const running = [...store.jobs.values()].filter((job) => job.state === "running").length;
    const here = store.liveWorkers.length;
    return store.isLocal ? `${running} running` : `${running} running, ${count(here, "worker")}`;
  }

  private view(here: Route) {
    switch (here.view) {
      case "fleet":
        return html`<fleet-view></fleet-view>`;
      case "runs":
        return html`<runs-view .query=${here.query.toString()}></runs-view>`;
      case "job":
        return html`<job-view .job=${here.job} .query=${here.query.toString()}></job-view>`;
      case "sweep":
        return html`<sweep-view .group=${here.job} .query=${here.query.toString()}></sweep-view>`;
      case "unknown":
        return html`<section class="sheet" id="unknown" aria-labelledby="unknown-heading">
          <h2 id="unknown-heading">There is no such page</h2>
          <p>
            The address ends with <code>#${here.job}</code>. Pages are <a href=${link("fleet")}>#fleet</a>,
            <a href=${link("runs")}>#runs</a>, #job/ID, #sweep/GROUP and #compare?jobs=A,B.
          </p>
        </section>`;
      case "compare":
        return html`<compare-view .query=${here.query.toString()}></compare-view>`;
    }
  }

  // A new view starts at its top, and its name is announced to screen readers.
  protected override updated(): void {
    const here = route();
    const view = `${here.view} ${here.job}`;
    const running = [...store.jobs.values()].filter((job) => job.state === "running").length;
    document.title = `${running > 0 ? `(${running}) ` : ""}${here.job || NAMES[here.view]} – Trainyard`;
    if (view !== this.shown) {
      if (this.shown) scrollTo(0, 0);
      this.shown = view;
    }
  }

  private skip(event: Event): void {
    event.preventDefault(); // the address is for views only
    this.querySelector<HTMLElement>("#content")!.focus();
  }
}

customElements.define("trainyard-page", TrainyardPage);
