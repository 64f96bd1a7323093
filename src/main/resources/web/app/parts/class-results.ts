// The last test by class: accuracies as bars, and the confusion matrix.

import { html, nothing } from "lit";
import type { ClassMetrics, JobDetail } from "../api/types";
import { NONE, integer, numberOf, percent } from "../format";

const MAX_CLASSES = 40; // larger matrices are not legible

export function classResults({ summary, tests, classAccuracy, classMetrics, confusion, classNames }: JobDetail) {
  if (!confusion && !classAccuracy) return nothing;
  const last = tests.at(-1);
  const measured = summary.test
    ? `of the test part, with the weights of epoch ${summary.test.epoch}`
    : `${last?.part ? `of the ${last.part} part, ` : ""}after epoch ${last?.epoch}`;
  const name = (i: number): string => classNames?.[i] ?? String(i);
  return html`
    <div class="pair" id="classes-and-confusion">
      <figure>
        <figcaption>Accuracy by class <span class="quiet">${measured}</span></figcaption>
        <div class="scroll" tabindex="0" role="group" aria-label="Accuracy by class">
          <table class="bars" id="classes">
            <tbody>
              ${(classAccuracy ?? []).slice(0, MAX_CLASSES).map((value, i) => {
                const accuracy = numberOf(value);
                return html`<tr>
                  <th scope="row">${name(i)}</th>
                  <td>
                    <progress
                      max="1"
                      .value=${Number.isFinite(accuracy) ? accuracy : 0}
                      aria-label="Accuracy of ${name(i)}"
                    ></progress>
                  </td>
                  <td class="number">${percent(accuracy)}</td>
                </tr>`;
              })}
            </tbody>
          </table>
        </div>
      </figure>
      <figure>
        <figcaption>Confusion matrix <span class="quiet">rows: true class; columns: predicted</span></figcaption>
        ${
          !confusion || confusion.length > MAX_CLASSES
            ? html`<p class="note">${(classAccuracy ?? confusion ?? []).length} classes are too many to show as a table.</p>`
            : matrix(confusion, name, Boolean(classNames))
        }
      </figure>
    </div>
    ${classMetrics && classMetrics.length <= MAX_CLASSES ? metricsTable(classMetrics, name) : nothing}
  `;
}

function metricsTable(metrics: readonly ClassMetrics[], name: (i: number) => string) {
  const range = (value: number, low: number, high: number) => `${percent(value)} (${percent(low)}–${percent(high)})`;
  return html`
    <h3>Precision and recall <span class="quiet">with 95 % intervals</span></h3>
    <div class="scroll" tabindex="0" role="group" aria-label="Precision and recall">
      <table class="plain" id="class-metrics">
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col" class="number">Samples</th>
            <th scope="col" class="number">Predicted</th>
            <th scope="col" class="number">Precision</th>
            <th scope="col" class="number">Recall</th>
            <th scope="col" class="number">F1</th>
          </tr>
        </thead>
        <tbody>
          ${metrics.map(
            (one, i) =>
              html`<tr>
                <th scope="row">${name(i)}</th>
                <td class="number">${integer(one.samples)}</td>
                <td class="number">${integer(one.predicted)}</td>
                <td class="number">${one.predicted ? range(one.precision, one.precisionLow, one.precisionHigh) : NONE}</td>
                <td class="number">${one.samples ? range(one.recall, one.recallLow, one.recallHigh) : NONE}</td>
                <td class="number">${one.samples + one.predicted ? one.f1.toFixed(3) : NONE}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

function matrix(confusion: readonly number[][], name: (i: number) => string, named: boolean) {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="Confusion matrix">
      <table class="matrix ${named ? "named" : ""}" id="confusion">
        <thead>
          <tr>
            <td></td>
            ${confusion.map((_, i) => html`<th scope="col"><span>${name(i)}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${confusion.map((counts, truth) => {
            const all = Math.max(
              1,
              counts.reduce((a, b) => a + b, 0),
            );
            return html`<tr>
              <th scope="row">${name(truth)}</th>
              ${counts.map((count, predicted) => cell(count, count / all, name(truth), name(predicted)))}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  `;
}

// The shade is the square root of the share in the true class, so that rare classes and rare errors are visible. It is
// set as a property, because the page's security policy forbids styles in markup.
function cell(count: number, share: number, truth: string, predicted: string) {
  const shade = `background-color: rgba(var(--heat), calc(var(--heat-most) * ${Math.sqrt(share).toFixed(3)}))`;
  return html`<td .style=${shade} title="${truth} taken for ${predicted}: ${count} (${percent(share)})">
    ${count === 0 ? "·" : integer(count)}
  </td>`;
}
