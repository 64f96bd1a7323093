// The live stream, opened again whenever it ends. Each connection begins with a snapshot, so nothing is lost.

const SILENCE_MILLIS = 15_000; // three keep-alives
const RETRY_MILLIS = 2_000;

// onUpdate(update), onState("live" | "lost")
export function connect(onUpdate, onState) {
  let source;
  let timer;

  const later = (millis) => {
    clearTimeout(timer);
    timer = setTimeout(open, millis);
  };
  const receive = (message) => {
    later(SILENCE_MILLIS);
    onState("live");
    onUpdate(JSON.parse(message.data));
  };

  function open() {
    if (source) {
      source.close();
      onState("lost");
    }
    source = new EventSource("/api/v1/live");
    source.addEventListener("snapshot", receive);
    source.addEventListener("change", receive);
    source.onerror = () => {
      onState("lost");
      // A refusal ends an EventSource for good, a broken connection does not; opening anew serves both.
      later(RETRY_MILLIS);
    };
    later(SILENCE_MILLIS);
  }

  open();
}
