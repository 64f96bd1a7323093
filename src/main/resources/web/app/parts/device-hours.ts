// Device-hours: today, in total, and per day.

import { html, nothing } from "lit";
import { api } from "../api/api";
import type { DeviceHours, HoursRow } from "../api/types";
import { PageElement } from "../element";
import { hours, isOver, weekday } from "../format";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const MINUTE_MILLIS = 60_000;
const PERIOD_MILLIS = 10_000; // limits calls when many jobs end

class DeviceHoursPart extends PageElement {
  static override properties = { answer: { state: true } };

  declare private answer: DeviceHours | null; // null until the first response

  private timer: number | undefined;
  private readonly refresher = new Refresher((signal) => this.read(signal), () => PERIOD_MILLIS);

  constructor() {
    super();
    this.answer = null;
    new Subscriber(this, ({ snapshot, jobs }) => {
      if (snapshot || [...jobs].some((job) => hasEnded(job))) this.refresher.request();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (store.hasData) this.refresher.request();
    this.timer = window.setInterval(() => this.refresher.request(), MINUTE_MILLIS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    this.refresher.reset();
  }

  private async read(signal: AbortSignal): Promise<void> {
    this.answer = await api.deviceHours(signal);
  }

  protected override render() {
    if (!this.answer || this.answer.total.deviceHours === 0) return nothing;
    const { rows, total } = this.answer;
    const most = Math.max(...rows.map((row) => row.deviceHours));
    return html`
      <section aria-labelledby="hours-heading">
        <h2 id="hours-heading">Device-hours</h2>
        <div class="hours" id="device-hours">
          <ul class="tiles">
            ${tile("Today", rows.at(-1)!.deviceHours)} ${tile(`${rows.length} days`, total.deviceHours)}
          </ul>
          <ol class="days" aria-label="By day, in UTC">
            ${rows.map((row, i) => day(row, i === rows.length - 1, most))}
          </ol>
        </div>
        ${ofNoUse(total.failedHours, total.lostHours)}
      </section>
    `;
  }
}

function hasEnded(job: string): boolean {
  const state = store.jobs.get(job)?.state;
  return state !== undefined && isOver(state);
}

function tile(name: string, value: number) {
  return html`<li>
    <div><span class="quiet">${name}</span><strong>${hours(value)}</strong></div>
  </li>`;
}

function day(row: HoursRow, today: boolean, most: number) {
  return html`<li>
    <span>${hours(row.deviceHours)}</span>
    <span class="room"><span class="part" .style=${`height: ${(100 * row.deviceHours) / most}%`}></span></span>
    <span class="quiet" title=${row.value}>${today ? "Today" : weekday(row.value)}</span>
  </li>`;
}

function ofNoUse(failed: number, lost: number) {
  const parts = [
    failed > 0 ? `${hours(failed)} for jobs that failed` : "",
    lost > 0 ? `${hours(lost)} for attempts that broke off with their worker` : "",
  ].filter(Boolean);
  return parts.length === 0 ? nothing : html`<p class="note">Of them ${parts.join(", ")}.</p>`;
}

customElements.define("device-hours", DeviceHoursPart);
