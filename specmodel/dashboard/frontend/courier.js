// Sends the newest value of each control, one at a time: the next one leaves after Python's echo of the one before it,
// and (unless it is final) after that run has finished, because a new value would stop the run before it drew the
// charts. The last value is always sent.

const WATCHDOG_MS = 2000; // An echo later than this is taken for lost ...
const RETRIES = 3; // ... and the value is sent again, this often at most.
const PATIENCE_MS = 1000; // How long a step of a drag waits for the run before it to finish.

export class Courier {
  constructor(onQuiet) {
    this.onQuiet = onQuiet;
    this.lastId = Date.now();
    this.waiting = new Map(); // key -> the newest value not sent yet
    this.sent = new Map(); // key -> the value sent last
  }

  busy(key) {
    return this.waiting.has(key) || this.inFlight?.key === key;
  }

  post(key, value, final) {
    const sent = this.sent.get(key);
    if (!this.busy(key) && sent?.value === value && (sent.final || !final)) return;
    this.waiting.set(key, { key, value, final });
    this.flush();
  }

  flush() {
    if (this.inFlight) return;
    const ready = [...this.waiting.values()].find(({ final }) => final || !this.resting);
    if (!ready) return;
    this.stopResting();
    this.waiting.delete(ready.key);
    this.sent.set(ready.key, ready);
    this.retries = 0;
    this.dispatch(ready);
  }

  dispatch(event) {
    this.inFlight = { ...event, id: ++this.lastId };
    this.send(this.inFlight);
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.overdue(), WATCHDOG_MS);
  }

  // A run still going on, or a broken connection, explains the silence: keep waiting. Else send again.
  overdue() {
    if (!this.inFlight) return;
    if ((appState("Connection") ?? "CONNECTED") === "CONNECTED" && appState("Script") !== "running") {
      if (this.waiting.has(this.inFlight.key) || this.retries++ >= RETRIES) return this.landed();
      return this.dispatch(this.inFlight);
    }
    this.watchdog = setTimeout(() => this.overdue(), WATCHDOG_MS);
  }

  echo(id) {
    if (this.inFlight && id === this.inFlight.id) this.landed();
  }

  landed() {
    clearTimeout(this.watchdog);
    this.inFlight = undefined;
    this.rest();
    if (this.waiting.size) this.flush();
    this.onQuiet();
  }

  rest() {
    if (appState("Script") !== "running") return;
    const end = () => {
      this.stopResting();
      this.flush();
    };
    this.resting = onScriptEnd(end);
    this.patience = setTimeout(end, PATIENCE_MS);
  }

  // Nothing is on its way to Python, or waits to be.
  get idle() {
    return !this.inFlight && !this.waiting.size;
  }

  // Once the run that goes on is over; at once where none does.
  whenStill(then) {
    if (appState("Script") !== "running") return then();
    const observer = onScriptEnd(() => {
      observer.disconnect();
      then();
    });
  }

  stopResting() {
    this.resting?.disconnect();
    this.resting = undefined;
    clearTimeout(this.patience);
  }

  // Python moved the value itself: what was sent last no longer says what Python has.
  forget(key) {
    this.sent.delete(key);
  }

  dispose() {
    clearTimeout(this.watchdog);
    this.stopResting();
    this.inFlight = undefined;
    this.waiting.clear();
  }
}

function onScriptEnd(then) {
  const observer = new MutationObserver(() => appState("Script") !== "running" && then());
  observer.observe(app(), { attributes: true, attributeFilter: ["data-test-script-state"] });
  return observer;
}

function app() {
  return document.querySelector('[data-testid="stApp"]');
}

// "running", "notRunning", "CONNECTED"; undefined if Streamlit ever drops these attributes: then nothing is waited for.
function appState(kind) {
  return app()?.getAttribute(`data-test-${kind.toLowerCase()}-state`) ?? undefined;
}
