/** Statuses of a template, by the numbers of reference/templates#statuses. Only `approved` can be sent. */
export enum TemplateStatus {
  Draft = 0,
  Approved = 1,
  Rejected = 2,
  Pending = 3,
  Paused = 4,
  Disabled = 5,
}

/** Names of the statuses in `Template is already <state>` and in filters, by number. */
export const STATUS_LABELS = ['draft', 'approved', 'rejected', 'pending', 'paused', 'disabled'] as const;

/** What staff or the upstream's review do to a template. */
export type TemplateMove = 'approve' | 'reject' | 'pause' | 'resume' | 'disable';

const { Draft, Approved, Rejected, Pending, Paused, Disabled } = TemplateStatus;

/** The life of a template (reference/templates#statuses): 3 → 1 or 2; 1 ↔ 4; any → 5. */
const MOVES: Readonly<Record<TemplateMove, { from: readonly TemplateStatus[]; to: TemplateStatus }>> = {
  approve: { from: [Pending], to: Approved },
  reject: { from: [Pending], to: Rejected },
  pause: { from: [Approved], to: Paused },
  resume: { from: [Paused], to: Approved },
  disable: { from: [Draft, Approved, Rejected, Pending, Paused], to: Disabled },
};

/** The status after a move; null when the template's status does not allow it. */
export function statusAfter(move: TemplateMove, status: number): TemplateStatus | null {
  const { from, to } = MOVES[move];
  return from.includes(status) ? to : null;
}

/** Judgements on what the owner has written: they name the revision that was looked at. */
export const isVerdict = (move: TemplateMove): boolean => move === 'approve' || move === 'reject';

/** Whether the owner may still change or delete a template (reference/templates#own-templates). */
export const isOwnersToChange = (status: number): boolean => [Draft, Rejected, Pending].includes(status);

/** What the controller queue says of a template that was judged; null = unchanged. */
export function controllerStatusAfter(status: TemplateStatus): 'approved' | 'rejected' | null {
  if (status === Approved) return 'approved';
  return status === Rejected ? 'rejected' : null;
}

/** The status of a filter, as its number or its name; null for anything else. */
export function readStatus(text: string): TemplateStatus | null {
  const wanted = text.trim().toLowerCase();
  const number = STATUS_LABELS.findIndex((name, index) => name === wanted || String(index) === wanted);
  return number < 0 ? null : number;
}
