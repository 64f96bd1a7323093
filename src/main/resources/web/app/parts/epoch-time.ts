// A bar per epoch with the parts of its time.

import { html, nothing } from "lit";
import type { EpochTime, TestedEpoch } from "../api/types";
import { swatchClass } from "../chart/palette";
import { percent, span } from "../format";

const MAX_ROWS = 40; // with more epochs, consecutive ones share a bar

type Part = "batches" | "steps" | "checkpoints" | "test" | "other";
type Spent = Record<Part, number>; // microseconds

const PARTS: readonly Part[] = ["steps", "batches", "test", "checkpoints", "other"];

interface Row {
  name: string;
  spent: Spent;
}

type Timed = TestedEpoch & { epochTime: EpochTime };

// Batches are part of the steps, so the steps are shown without them.
function spentIn({ stepsMicros, batchesMicros, checkpointsMicros, testMicros, otherMicros }: EpochTime): Spent {
  const batches = Math.min(stepsMicros, batchesMicros ?? 0);
  return {
    batches,
    steps: stepsMicros - batches,
    checkpoints: checkpointsMicros,
    test: testMicros,
    other: otherMicros,
  };
}

function sumOf(all: readonly Spent[]): Spent {
  const sum: Spent = { batches: 0, steps: 0, checkpoints: 0, test: 0, other: 0 };
  for (const spent of all) {
    for (const part of PARTS) sum[part] += Math.max(0, spent[part]);
  }
  return sum;
}

const wholeOf = (spent: Spent): number => PARTS.reduce((whole, part) => whole + spent[part], 0);

function rowsOf(tests: readonly Timed[]): Row[] {
  const together = Math.ceil(tests.length / MAX_ROWS);
  const rows: Row[] = [];
  for (let i = 0; i < tests.length; i += together) {
    const some = tests.slice(i, i + together);
    const first = some[0]!.epoch;
    const last = some.at(-1)!.epoch;
    rows.push({
      name: first === last ? String(first) : `${first}–${last}`,
      spent: sumOf(some.map((test) => spentIn(test.epochTime))),
    });
  }
  return rows;
}

export function epochTimes(tests: readonly TestedEpoch[]) {
  const timed = tests.filter((test): test is Timed => Boolean(test.epochTime));
  const rows = rowsOf(timed);
  const sum = sumOf(rows.map(({ spent }) => spent));
  const whole = wholeOf(sum);
  if (!(whole > 0)) return nothing;
  const toldBatches = timed.some((test) => (test.epochTime.batchesMicros ?? null) !== null);
  const names: Record<Part, string> = {
    steps: toldBatches ? "Rest of the steps" : "Steps",
    batches: "Making batches",
    test: "Test",
    checkpoints: "Checkpoints",
    other: "Other",
  };
  const shown = PARTS.filter((part) => part !== "batches" || toldBatches);
  const longest = Math.max(...rows.map(({ spent }) => wholeOf(spent)));
  const inWords = (spent: Spent): string => shown.map((part) => `${names[part]} ${span(spent[part])}`).join(", ");
  return html`
    <figure class="times">
      <figcaption>Time by epoch <span class="quiet">what it went into; shares of the whole</span></figcaption>
      <ul class="legend" id="time-legend">
        ${shown.map(
          (part) =>
            html`<li>
              <span class=${swatchClass(PARTS.indexOf(part))}></span>${names[part]}
              <span class="quiet">${percent(sum[part] / whole)}</span>
            </li>`,
        )}
      </ul>
      <div class="scroll" tabindex="0" role="group" aria-label="Time by epoch">
        <table class="bars" id="times">
          <tbody>
            ${rows.map(
              ({ name, spent }) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  <td>
                    <span class="stack" role="img" aria-label=${inWords(spent)} title=${inWords(spent)}
                      >${shown.map((part) => {
                        const width = `width: ${((100 * spent[part]) / longest).toFixed(3)}%`;
                        return html`<span class="series-${PARTS.indexOf(part)}" .style=${width}></span>`;
                      })}</span
                    >
                  </td>
                  <td class="number">${span(wholeOf(spent))}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </figure>
  `;
}
