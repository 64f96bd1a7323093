// The address contains the view and its settings, so links can be shared: #fleet, #runs?state=failed, #job/ID?x=epoch,
// #sweep/GROUP, #compare?jobs=A,B.

export type ViewName = "fleet" | "runs" | "job" | "sweep" | "compare" | "unknown";

export interface Route {
  view: ViewName;
  job: string; // in the view "sweep" the group, in the view "unknown" the address
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
      return { view: "unknown", job: path, query: parameters };
    }
  }
  if (rest.length === 0 && (view === "fleet" || view === "runs" || view === "compare")) return { view, job: "", query: parameters };
  return path === "" ? { view: "fleet", job: "", query: parameters } : { view: "unknown", job: path, query: parameters };
}

export type QueryChanges = Record<string, string | null>; // null: removed

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return "#" + path + (text ? "?" + text : "");
}

export function link(view: Exclude<ViewName, "job" | "sweep" | "unknown">, query: Record<string, string> = {}): string {
  return withQuery(view, new URLSearchParams(query));
}

export function jobLink(job: string): string {
  return "#job/" + encodeURIComponent(job);
}

export function sweepLink(group: string): string {
  return "#sweep/" + encodeURIComponent(group);
}

// Changes settings of the view and replaces the entry of the browser's history, so "back" leads to the previous view.
export function keep(changes: QueryChanges): void {
  const { query } = route();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const path = location.hash.slice(1).split("?")[0] || "fleet";
  history.replaceState(null, "", withQuery(path, query));
  notify();
}

// Opens the list of runs with a query, such as that of a saved view.
export function openRuns(query: string): void {
  location.hash = withQuery("runs", new URLSearchParams(query));
}

export function onRoute(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

addEventListener("hashchange", notify);
