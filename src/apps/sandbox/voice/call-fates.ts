/** How a call ends, in the network's words. */
export type CallEnd = 'completed' | 'busy' | 'no-answer' | 'failed';

/** What becomes of a call. */
export type CallFate = 'answered' | 'no-answer' | 'busy' | 'failed' | 'silent' | 'throttled once' | 'error once';

/** By the called number's last three digits, after the telephone signalling codes (reference/providers#sandbox). */
const FATES: Readonly<Record<string, CallFate>> = {
  '404': 'failed',
  '408': 'silent',
  '429': 'throttled once',
  '480': 'no-answer',
  '486': 'busy',
  '500': 'error once',
  '603': 'failed',
};

export const callFateOf = (to: string): CallFate => FATES[to.slice(-3)] ?? 'answered';

/** The signalling code behind an end; null for a call that was answered. */
export const sipCodeOf = (to: string, end: CallEnd): number | null => {
  if (end === 'completed') return null;
  if (end === 'busy') return 486;
  if (end === 'no-answer') return 480;
  return to.endsWith('603') ? 603 : 404;
};
