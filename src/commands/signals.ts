/** Signals that ask a program to end; SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm forwards the Ctrl-C that the terminal has sent to us, too: a signal so soon after another is the same request. */
const SAME_REQUEST_MS = 300;

/** Calls `onSignal` at each request to end, until the function that it returns is called. */
export function onRequestsToEnd(onSignal: (signal: NodeJS.Signals) => void): () => void {
  let lastMs = -Infinity;
  const listener = (signal: NodeJS.Signals): void => {
    const same = performance.now() - lastMs < SAME_REQUEST_MS;
    if (same) return;
    lastMs = performance.now();
    onSignal(signal);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => SIGNALS.forEach((signal) => process.off(signal, listener));
}
