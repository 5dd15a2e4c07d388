/**
 * Ends the process by SIGTERM or SIGINT: with 0 when `stop` is through, with 1 when it fails or takes longer than
 * `mostMs`, whatever it waits for (a database that has fallen silent, a carrier).
 */
export function stopProcessBySignal(stop: () => Promise<void>, mostMs: number): void {
  let stopping = false;
  const begin = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), mostMs).unref();
    void stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', begin);
  process.on('SIGINT', begin);
}
