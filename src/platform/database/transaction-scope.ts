import { AsyncLocalStorage } from 'node:async_hooks';

let scope: AsyncLocalStorage<true> | null = null;

/** Work inside a transaction asked the pool for another connection: with enough of it at once, all wait for each other. */
export class PoolInsideTransaction extends Error {
  override readonly name = 'PoolInsideTransaction';

  constructor() {
    super('A transaction asks through its own connection: read and write through `tx`');
  }
}

/** From now on this process knows which work runs inside a transaction (tests; it costs a little a promise). */
export const watchTransactions = (): void => {
  scope ??= new AsyncLocalStorage();
};

/** Runs the work of a transaction so that `refuseInsideTransaction` can tell. */
export const withinTransaction = <T>(work: () => Promise<T>): Promise<T> => (scope ? scope.run(true, work) : work());

/** @throws PoolInsideTransaction where transactions are watched and the caller runs inside one */
export function refuseInsideTransaction(): void {
  if (scope?.getStore()) throw new PoolInsideTransaction();
}
