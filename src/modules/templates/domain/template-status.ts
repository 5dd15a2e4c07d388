/** Statuses of a template, by the numbers of reference/templates#statuses. Only `approved` can be sent. */
export enum TemplateStatus {
  Draft = 0,
  Approved = 1,
  Rejected = 2,
  Pending = 3,
  Paused = 4,
  Disabled = 5,
}

/** The words of `Template is already <state>` and of filters, by number. */
export const STATUS_WORDS = ['draft', 'approved', 'rejected', 'pending', 'paused', 'disabled'] as const;

/** What becomes of a template by the desk or by the upstream's review. */
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

/** Judgements on what the owner has written: whoever makes one has looked at it. */
export const isVerdict = (move: TemplateMove): boolean => move === 'approve' || move === 'reject';

/** Whether the owner may still change or delete a template (reference/templates#own-templates). */
export const isOwnersToChange = (status: number): boolean => [Draft, Rejected, Pending].includes(status);

/** What the controller queue says of a template that was judged; null = it keeps its word. */
export function controllerStatusAfter(status: TemplateStatus): 'approved' | 'rejected' | null {
  if (status === Approved) return 'approved';
  return status === Rejected ? 'rejected' : null;
}

/** The status of a filter, as its number or its word; null for anything else. */
export function readStatus(text: string): TemplateStatus | null {
  const word = text.trim().toLowerCase();
  const number = STATUS_WORDS.findIndex((name, index) => name === word || String(index) === word);
  return number < 0 ? null : number;
}
