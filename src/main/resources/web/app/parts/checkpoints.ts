// A job's checkpoints, newest first.

import { html, nothing } from "lit";
import { modelAddress } from "../api/api";
import type { CheckpointRow } from "../api/types";
import { bytes, integer, moment } from "../format";

export function checkpoints(job: string, rows: readonly CheckpointRow[]) {
  if (rows.length === 0) return nothing;
  return html`
    <details id="checkpoints">
      <summary>${rows.length === 1 ? "1 checkpoint" : `${integer(rows.length)} checkpoints`}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="Checkpoints">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Epoch</th>
              <th scope="col">Size</th>
              <th scope="col">Saved</th>
              <th scope="col">Where</th>
              <th scope="col"><span class="hidden">Download</span></th>
            </tr>
          </thead>
          <tbody>
            ${rows.toReversed().map(
              (row) =>
                html`<tr>
                  <td>${integer(row.step)}${row.best ? html` <span class="tag">best</span>` : nothing}</td>
                  <td>${row.epoch}</td>
                  <td>${bytes(row.bytes)}</td>
                  <td>${moment(row.millis)}</td>
                  <td class="uri">
                    ${row.uri}${row.sha256 ? html`<br /><span class="quiet">sha256 ${row.sha256}</span>` : nothing}
                  </td>
                  <td><a href=${modelAddress(job, row.step)} download aria-label="Download step ${row.step}">Download</a></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  `;
}
