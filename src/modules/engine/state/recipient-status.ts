/**
 * The life of a recipient, one for all channels; each channel gives its own labels to these
 * (reference/engine#recipient-statuses). The numbers are stored.
 */
export enum RecipientStatus {
  /** nothing has left yet */
  Pending = 0,
  /** the carrier has it */
  Submitted = 1,
  Delivered = 2,
  /** forward of Delivered (chat only) */
  Read = 3,
  Failed = 4,
  Cancelled = 5,
  Answered = 6,
  NoAnswer = 7,
  Busy = 8,
  /** it may have left: settled by a receipt or by the deadline; sent again only where the upstream drops a second copy */
  Unknown = 9,
  /** reached in vain; the next attempt waits for its time */
  Retrying = 10,
}

const RANK: Record<RecipientStatus, number> = {
  [RecipientStatus.Pending]: 0,
  [RecipientStatus.Unknown]: 1,
  [RecipientStatus.Submitted]: 2,
  [RecipientStatus.Retrying]: 3,
  [RecipientStatus.Failed]: 4,
  [RecipientStatus.Cancelled]: 4,
  [RecipientStatus.Answered]: 4,
  [RecipientStatus.NoAnswer]: 4,
  [RecipientStatus.Busy]: 4,
  [RecipientStatus.Delivered]: 4,
  [RecipientStatus.Read]: 5,
};

/** True when the campaign no longer waits for this recipient. */
export const isFinal = (status: RecipientStatus): boolean => RANK[status] >= 4;

/**
 * Status only moves forward: a late lower status never overwrites a terminal one; Read follows Delivered alone, and only
 * what has certainly not left can be cancelled. One circle is allowed: an attempt in vain (Retrying) is followed by the next.
 */
export function mayMove(from: RecipientStatus, to: RecipientStatus): boolean {
  if (to === RecipientStatus.Cancelled) return from === RecipientStatus.Pending;
  if (to === RecipientStatus.Retrying) return from === RecipientStatus.Submitted || from === RecipientStatus.Unknown;
  if (from === RecipientStatus.Retrying) return to !== RecipientStatus.Pending;
  if (to === RecipientStatus.Read) return RANK[from] < 4 || from === RecipientStatus.Delivered;
  return RANK[to] > RANK[from];
}

/** Status of a recipient whose message has several items: failed if any failed, else the lowest. */
export function lowest(statuses: readonly RecipientStatus[]): RecipientStatus {
  if (statuses.includes(RecipientStatus.Failed)) return RecipientStatus.Failed;
  return statuses.reduce((low, status) => (RANK[status] < RANK[low] ? status : low), RecipientStatus.Read);
}
