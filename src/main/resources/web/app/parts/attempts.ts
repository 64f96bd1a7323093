// The attempts of a job as time spans, if there are several.

import { html, nothing } from "lit";
import type { AttemptSpan } from "../api/types";
import { clock, duration, integer, moment } from "../format";

export function attempts(spans: readonly AttemptSpan[], asOfMillis: number) {
  const [first] = spans;
  if (spans.length < 2 || !first) return nothing;
  const start = first.startMillis;
  const end = Math.max(...spans.map((span) => span.endMillis ?? asOfMillis));
  const share = (millis: number): number => (100 * (millis - start)) / Math.max(1, end - start);
  return html`
    <figure>
      <figcaption>Attempts <span class="quiet">${moment(start)} to ${clock(end)}</span></figcaption>
      <ol class="spans" id="attempts">
        ${spans.map((span) => {
          const until = span.endMillis ?? asOfMillis;
          const place = `left: ${share(span.startMillis)}%; width: ${Math.max(0.5, share(until) - share(span.startMillis))}%`;
          return html`<li>
            <span class="what">
              ${span.attempt}
              <span class="quiet">
                ${span.worker ?? "no worker"}, from step ${integer(span.firstStep)},
                ${span.endMillis === null ? `for ${duration(until - span.startMillis)} so far` : duration(until - span.startMillis)}
              </span>
            </span>
            <span class="track"
              ><span class="span" ?data-running=${span.endMillis === null} .style=${place}></span
            ></span>
          </li>`;
        })}
      </ol>
    </figure>
  `;
}
