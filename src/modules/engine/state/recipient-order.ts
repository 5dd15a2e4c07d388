interface Place {
  campaignId: number;
  seq: number;
}

/** One text a recipient, for maps. */
export const placeKey = ({ campaignId, seq }: Place): string => `${campaignId} ${seq}`;

/** The order in which everybody locks recipients and their messages: two transactions never wait for each other in a circle. */
export const inLockOrder = (a: Place, b: Place): number => a.campaignId - b.campaignId || a.seq - b.seq;

/** The recipients of these rows, each once, in the order in which they are locked. */
export const toLock = (rows: readonly Place[]): [campaignId: number, seq: number][] =>
  [...new Map(rows.map((row) => [placeKey(row), row])).values()]
    .sort(inLockOrder)
    .map(({ campaignId, seq }) => [campaignId, seq]);
