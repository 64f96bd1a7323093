// The address names the view and how it is set, so that a link shows the same: #fleet, #runs?state=failed,
// #job/ID?x=epoch, #sweep/GROUP, #compare?jobs=A,B.

export type ViewName = "fleet" | "runs" | "job" | "sweep" | "compare";

export interface Route {
  view: ViewName;
  job: string; // of the view "job"; of "sweep" the group
  query: URLSearchParams;
}

const listeners = new Set<() => void>();

export function route(): Route {
  const [path = "", query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const [view, ...rest] = path.split("/");
  const parameters = new URLSearchParams(query);
  if ((view === "job" || view === "sweep") && rest.length > 0) {
    try {
      return { view, job: decodeURIComponent(rest.join("/")), query: parameters };
    } catch {
      return { view: "fleet", job: "", query: new URLSearchParams() }; // not an address this page makes
    }
  }
  return { view: view === "runs" || view === "compare" ? view : "fleet", job: "", query: parameters };
}

export type QueryChanges = Record<string, string | null>; // null: as if it was never set

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return "#" + path + (text ? "?" + text : "");
}

export function link(view: Exclude<ViewName, "job" | "sweep">, query: Record<string, string> = {}): string {
  return withQuery(view, new URLSearchParams(query));
}

export function jobLink(job: string): string {
  return "#job/" + encodeURIComponent(job);
}

export function sweepLink(group: string): string {
  return "#sweep/" + encodeURIComponent(group);
}

// Changes how the view is set. The way back leads to the view before, not through every setting of this one.
export function keep(changes: QueryChanges): void {
  const { query } = route();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const path = location.hash.slice(1).split("?")[0] || "fleet";
  history.replaceState(null, "", withQuery(path, query));
  tell();
}

export function onRoute(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

addEventListener("hashchange", tell);
