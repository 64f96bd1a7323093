// The page: the live stream updates the store; views show the store and the results of REST calls.

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
