/** Tones of a status; the word always stands beside the colour. */
export type Tone = 'good' | 'live' | 'waiting' | 'warn' | 'bad' | 'off';

const TONES: Readonly<Record<string, Tone>> = {
  test: 'warn',
  // campaigns
  running: 'live',
  accepted: 'waiting',
  scheduled: 'waiting',
  pending_approval: 'warn',
  paused: 'warn',
  completed: 'good',
  cancelled: 'off',
  failed: 'bad',
  rejected: 'bad',
  // recipients, messages
  pending: 'waiting',
  queued: 'waiting',
  waiting: 'waiting',
  sending: 'live',
  sent: 'live',
  submitted: 'live',
  delivered: 'good',
  read: 'good',
  received: 'good',
  answered: 'good',
  undelivered: 'bad',
  unknown: 'warn',
  missed: 'warn',
  busy: 'warn',
  no_answer: 'warn',
  skipped: 'off',
  expired: 'off',
  // reviews
  approved: 'good',
  processing: 'live',
  done: 'good',
  // routes, endpoints
  up: 'good',
  ok: 'good',
  open: 'bad',
  closed: 'good',
  half_open: 'warn',
  down: 'bad',
  idle: 'off',
  enabled: 'good',
  active: 'good',
  invited: 'waiting',
  disabled: 'off',
  inactive: 'off',
  stopped: 'off',
  // alarms
  critical: 'bad',
  warning: 'warn',
  info: 'live',
};

/** A status in a word and a colour. @param tone where the status is none of the usual ones */
export function StatusBadge({ status, tone, text }: { status: string; tone?: Tone; text?: string }) {
  const name = status.toLowerCase().replaceAll(' ', '_');
  return (
    <span className={`badge ${tone ?? TONES[name] ?? 'off'}`}>{text ?? status.toLowerCase().replaceAll('_', ' ')}</span>
  );
}
