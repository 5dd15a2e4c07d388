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

const REFERENCE = /^([1-9][0-9]{0,15})-([0-9]{1,10})$/;

/** Our client reference of a recipient to an upstream, `<campaign id>-<seq>`; the same for every attempt. */
export const referenceOf = ({ campaignId, seq }: RecipientKey): string => `${campaignId}-${seq}`;

/** The recipient that a reference names; null for one that is none of ours, or not a campaign's. */
export function readReference(reference: string): RecipientKey | null {
  const [, campaign, seq] = REFERENCE.exec(reference) ?? [];
  const key = { campaignId: Number(campaign), seq: Number(seq) };
  return Number.isSafeInteger(key.campaignId) && Number.isSafeInteger(key.seq) ? key : null;
}
