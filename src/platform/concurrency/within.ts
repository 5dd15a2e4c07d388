/**
 * The result of `work`, or null when the time passes first; `work` goes on, and its late fault is dropped. By hand: it
 * stands before each call to a customer, and an AbortController would cost more than the rest of it. A process that was
 * itself held up finds its timer due before it has read what came meanwhile: it reads that before it gives up.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(resolve, null), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
