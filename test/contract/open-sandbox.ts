import { startSandbox, type Sandbox } from '../../src/apps/sandbox/start-sandbox.js';
import type { LedgerEntry } from '../../src/apps/sandbox/carrier-ledger.js';

/** A sandbox in this process, worked over its own HTTP doors. */
export interface OpenSandbox extends Sandbox {
  faults(changes: Record<string, unknown>): Promise<void>;
  ledger(): Promise<{ total: number; counts: Record<string, number>; messages: LedgerEntry[] }>;
  /** a good day, empty books */
  clear(): Promise<void>;
}

export async function openSandbox(): Promise<OpenSandbox> {
  const sandbox = await startSandbox({ http: 0, smpp: 0 });
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    ...sandbox,
    faults: async (changes) => void (await call('POST', '/faults', changes)),
    ledger: async () => (await call('GET', '/ledger?limit=10000')) as Awaited<ReturnType<OpenSandbox['ledger']>>,
    clear: async () => {
      await call('DELETE', '/faults');
      await call('DELETE', '/ledger');
    },
  };
}
