import type { Service } from './processes.js';

/** A message in the sandbox carrier's own books. */
export interface CarrierMessage {
  to: string;
  text: string;
  mediaUrl: string | null;
  /** our client reference, where the protocol carries one */
  ref: string | null;
  parts: number;
  status: 'ACCEPTED' | 'DELIVERED' | 'READ' | 'FAILED';
}

/** Everything the carrier took, in the order of arrival. */
export async function carrierLedger(service: Service): Promise<CarrierMessage[]> {
  const response = await fetch(`${service.sandboxUrl}/ledger/stream`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as CarrierMessage);
}

/** How many messages the carrier took. */
export async function carrierTotal(service: Service): Promise<number> {
  const response = await fetch(`${service.sandboxUrl}/ledger?limit=0`);
  return ((await response.json()) as { total: number }).total;
}
