// The page: what the live stream says goes into the store, views show the store and what they ask the dashboard for.

import "./styles/page.css";
import "./styles/controls.css";
import "./styles/fleet.css";
import "./styles/tables.css";
import "./styles/run.css";
import "./styles/chart.css";
import "./styles/classes.css";
import "./styles/sweep.css";
import "./styles/narrow.css";
import "./views/page";
import { listen } from "./api/live";
import { store } from "./state/store";

listen({
  update: (update) => store.take(update),
  lost: () => store.streamLost(),
});
