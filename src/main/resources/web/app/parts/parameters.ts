// A job's parameters by path, such as optimizer.learningRate.

import { html } from "lit";
import type { Json, JsonObject } from "../api/types";

export type Parameter = [path: string, value: Json];

// The leaves of an object; a list is one value.
export function parametersOf(object: JsonObject, prefix = ""): Parameter[] {
  return Object.entries(object).flatMap(([name, value]): Parameter[] =>
    value !== null && typeof value === "object" && !Array.isArray(value) && !("layers" in value)
      ? parametersOf(value, `${prefix}${name}.`)
      : [[prefix + name, value]],
  );
}

export function valueAt(object: JsonObject, path: string): Json | undefined {
  return new Map(parametersOf(object)).get(path);
}

// A copy with one changed parameter; undefined removes it.
export function withParameter(object: JsonObject, path: string, value: Json | undefined): JsonObject {
  const [name = "", ...rest] = path.split(".");
  const copy = { ...object };
  if (rest.length > 0) {
    const inner = copy[name];
    const known = inner !== null && typeof inner === "object" && !Array.isArray(inner) ? inner : {};
    copy[name] = withParameter(known, rest.join("."), value);
  } else if (value === undefined) {
    delete copy[name];
  } else {
    copy[name] = value;
  }
  return copy;
}

export function inWords(value: Json | undefined): string {
  if (value === undefined) return "–";
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Array.isArray(value["layers"])) {
    return `${value["layers"].length} layers`;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

// The last parts of paths, or the whole paths where these are equal.
export function shortNames(paths: readonly string[]): string[] {
  const last = (path: string): string => path.slice(path.lastIndexOf(".") + 1);
  return paths.map((path) => (paths.some((other) => other !== path && last(other) === last(path)) ? path : last(path)));
}

// The fields that were varied, without those that only belong to another type, such as an optimizer's.
export function variedFields(fields: readonly string[], values: readonly Readonly<Record<string, Json>>[]): string[] {
  return fields.filter((field) => {
    const type = field.slice(0, field.lastIndexOf(".") + 1) + "type";
    if (field === type || !fields.includes(type)) return true;
    return new Set(values.flatMap((one) => (one[field] === undefined ? [] : [inWords(one[field])]))).size > 1;
  });
}

const HYPERPARAMETERS = /^(epochs|batchSize|seed|loss|precision|optimizer|schedule|clip|ema|stopWhen|freeze|initFrom|except|continueFrom|dataset\.(split|augment))/;

// The parameters that runs differ by most often.
export function hyperparameters(command: JsonObject) {
  const shown = parametersOf(command).filter(([path, value]) => HYPERPARAMETERS.test(path) && value !== null);
  return html`<dl id="hyperparameters" aria-label="Hyperparameters">
    ${shown.map(
      ([path, value]) =>
        html`<div>
          <dt>${path}</dt>
          <dd>${inWords(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

export function parameterTable(object: JsonObject) {
  return html`
    <table class="plain" id="parameters">
      <tbody>
        ${parametersOf(object).map(
          ([path, value]) =>
            html`<tr>
              <th scope="row">${path}</th>
              <td>${inWords(value)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  `;
}
