// The page: what the live stream says goes into the store, views show the store and what they ask the dashboard for.

import "./page.css";
import "./views/page";
import { listen } from "./api/live";
import { store } from "./state/store";

listen({
  update: (update) => store.take(update),
  lost: () => store.streamLost(),
});
