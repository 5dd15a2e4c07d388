/** Until then the last of the start is done. */
const AFTER_MS = 3_000;

/**
 * A start leaves as much garbage as a process at rest holds, and a process at rest collects it only after minutes. So it is
 * collected once, where Node was started with `--expose-gc` (`npm start`).
 */
export function collectStartGarbage(): void {
  const { gc } = globalThis;
  if (!gc) return;
  setTimeout(() => {
    gc();
    gc(); // what the first one only aged
  }, AFTER_MS).unref();
}
