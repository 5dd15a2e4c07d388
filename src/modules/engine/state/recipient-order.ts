/** A recipient by its key. */
export interface RecipientPlace {
  campaignId: number;
  seq: number;
}

/** One text a recipient, for maps. */
export const placeKey = ({ campaignId, seq }: RecipientPlace): string => `${campaignId} ${seq}`;

/** The order in which every transaction locks recipients and their messages: two of them never wait for each other in a circle. */
export const inLockOrder = (a: RecipientPlace, b: RecipientPlace): number =>
  a.campaignId - b.campaignId || a.seq - b.seq;

/** The recipients of these rows, each once, in the order in which they are locked. */
export const toLock = (rows: readonly RecipientPlace[]): [campaignId: number, seq: number][] =>
  [...new Map(rows.map((row) => [placeKey(row), row])).values()]
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);
