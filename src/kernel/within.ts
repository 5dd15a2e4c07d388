/**
 * The result of `work`, or null when the time passes first; `work` goes on, and its late fault is dropped. By hand: it
 * stands before each call to a customer, and an AbortController would cost more than the rest of it.
 */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
