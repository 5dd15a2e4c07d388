import { timeOfId } from '../../../kernel/ids.js';

/** A recipient by its key. */
export interface RecipientKey {
  campaignId: number;
  seq: number;
}

/** One text a recipient, for maps. */
export const keyOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId} ${seq}`;

/** The order in which every transaction locks recipients and their messages: two of them never wait for each other in a circle. */
export const inLockOrder = (a: RecipientKey, b: RecipientKey): number => a.campaignId - b.campaignId || a.seq - b.seq;

/** The recipients of these rows, each once, in the order in which they are locked. */
export const toLock = (rows: readonly RecipientKey[]): [campaignId: number, seq: number][] =>
  [...new Map(rows.map((row) => [keyOf(row), row])).values()]
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);

/**
 * The campaigns of these rows, each once. A statement that joins a table which is cut into days names them as constants too:
 * it then opens their days only, else every day there is (docs/decisions/0022).
 */
export const campaignsOf = (rows: readonly Pick<RecipientKey, 'campaignId'>[]): number[] => [
  ...new Set(rows.map(({ campaignId }) => campaignId)),
];

const DAY_MS = 86_400_000;

/** The day, YYYY-MM-DD, before which nothing of these campaigns was sent: one for clocks that differ before the first of them. */
export const firstSendDay = (campaignIds: readonly number[]): string =>
  new Date(timeOfId(Math.min(...campaignIds)).getTime() - DAY_MS).toISOString().slice(0, 10);

const REFERENCE = /^([1-9][0-9]{0,15})-([0-9]{1,10})$/;

/** Our client reference of a recipient to an upstream, `<campaign id>-<seq>`; the same for every attempt. */
export const referenceOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId}-${seq}`;

/** The recipient that a reference names; null for one that is none of ours, or not a campaign's. */
export function readReference(reference: string): RecipientKey | null {
  const [, campaign, seq] = REFERENCE.exec(reference) ?? [];
  const key = { campaignId: Number(campaign), seq: Number(seq) };
  return Number.isSafeInteger(key.campaignId) && Number.isSafeInteger(key.seq) ? key : null;
}
