import { readdirSync } from 'node:fs';
import { LOG_SUFFIX, submitLogDirectory } from '../../src/modules/engine/dispatch/submit-log-file.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { type Service, until } from './processes.js';
import { type CarrierMessage, carrierLedger } from './sandbox.js';

const { Pending, Retrying, Submitted, Unknown } = RecipientStatus;

/** A recipient of whom the campaign has no last word yet. */
export interface OpenRecipient {
  receiver: string;
  status: RecipientStatus;
}

/** True when the carrier has nothing more to say of a recipient. */
type IsSilent = (recipient: OpenRecipient, atCarrier: readonly CarrierMessage[]) => boolean;

/** The sandbox never tells of numbers that end in 408; it refuses those in 603 in its answer, which dies with a worker. */
export const isSilentNumber = ({ receiver, status }: OpenRecipient): boolean =>
  receiver.endsWith('408') || (status === Unknown && receiver.endsWith('603'));

/** Nor does it know of what a dead worker never sent. */
const neverTold: IsSilent = (recipient, atCarrier) => isSilentNumber(recipient) || atCarrier.length === 0;

/** Notes of killed workers that nobody has read yet: whom they say never to have left is sent to then. */
export function unreadNotes({ environment, workers }: Service): number {
  const { DATA_DIR = '', DATABASE_URL = '' } = environment;
  const notes = readdirSync(submitLogDirectory(DATA_DIR, DATABASE_URL)).filter((file) => file.endsWith(LOG_SUFFIX));
  return Math.max(0, notes.length - workers.filter(({ isAlive }) => isAlive).length);
}

/**
 * Waits until nothing is left to send and the carrier has reported everything; then lets the time for receipts be over,
 * so that each recipient still without a receipt gets its last status. No test waits for a deadline, and none is late for one.
 */
export async function endReceiptTime(service: Service, requestId: string, isSilent = neverTold): Promise<void> {
  const { dataSource } = service.database;
  const [campaign] = await dataSource.query<{ id: number }[]>('SELECT id FROM campaigns WHERE request_id = ?', [
    requestId,
  ]);
  const open = (): Promise<OpenRecipient[]> =>
    dataSource.query('SELECT receiver, status FROM campaign_recipients WHERE campaign_id = ? AND status IN (?)', [
      campaign?.id,
      [Pending, Retrying, Submitted, Unknown],
    ]);
  /** Somebody sends, or has died while sending: the lease must run out and another worker must look. */
  const isSending = async (): Promise<boolean> => {
    const lanes: unknown[] = await dataSource.query(
      'SELECT 1 FROM campaign_lanes WHERE campaign_id = ? AND (next_seq < end_seq OR lease_until > UTC_TIMESTAMP(3))',
      [campaign?.id],
    );
    return lanes.length > 0;
  };
  let missing = '';
  const isOver = async (): Promise<boolean> => {
    if (await isSending()) return wait('lanes that send');
    if (unreadNotes(service) > 0) return wait('notes of killed workers');
    const recipients = await open();
    const unsent = recipients.filter(({ status }) => status === Pending || status === Retrying);
    if (unsent.length > 0) return wait(unsent);
    const ledger = new Map<string, CarrierMessage[]>();
    for (const message of await carrierLedger(service))
      ledger.set(message.to, [...(ledger.get(message.to) ?? []), message]);
    const told = recipients.filter((recipient) => !isSilent(recipient, ledger.get(recipient.receiver) ?? []));
    return told.length === 0 || wait(told.slice(0, 5).map((recipient) => [recipient, ledger.get(recipient.receiver)]));
  };
  const wait = (on: unknown): false => {
    missing = JSON.stringify(on).slice(0, 2_000);
    return false;
  };
  await until('every word of the carrier', isOver, 200_000).catch((error: unknown) => {
    throw new Error(`${String(error)}; last missed: ${missing}`, { cause: error });
  });
  await dataSource.query(
    'UPDATE campaign_recipients SET updated_at = updated_at - INTERVAL 2 HOUR WHERE campaign_id = ? AND status IN (?)',
    [campaign?.id, [Submitted, Unknown]],
  );
  await dataSource.query('UPDATE campaigns SET overdue_check_at = UTC_TIMESTAMP(3) WHERE id = ? AND open_lanes > 0', [
    campaign?.id,
  ]);
}
