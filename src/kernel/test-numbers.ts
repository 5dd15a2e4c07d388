/** Outcome of a message in the sandbox and under a test key. */
export type MessageOutcome = 'delivered' | 'undeliverable' | 'silent' | 'throttled once' | 'error once' | 'refused';

/** Outcome of a call there. */
export type CallOutcome = 'answered' | 'no-answer' | 'busy' | 'failed' | 'silent' | 'throttled once' | 'error once';

interface Outcomes {
  message: MessageOutcome;
  call: CallOutcome;
}

const USUAL: Outcomes = { message: 'delivered', call: 'answered' };

/** By the recipient's last three digits, after telephone signalling codes: the only such table (reference/providers#sandbox). */
const OUTCOMES: Readonly<Record<string, Outcomes>> = {
  '404': { message: 'undeliverable', call: 'failed' },
  '408': { message: 'silent', call: 'silent' },
  '429': { message: 'throttled once', call: 'throttled once' },
  '480': { message: 'delivered', call: 'no-answer' },
  '486': { message: 'delivered', call: 'busy' },
  '500': { message: 'error once', call: 'error once' },
  '603': { message: 'refused', call: 'failed' },
};

const outcomesOf = (to: string): Outcomes => OUTCOMES[to.slice(-3)] ?? USUAL;

export const messageOutcomeOf = (to: string): MessageOutcome => outcomesOf(to).message;

export const callOutcomeOf = (to: string): CallOutcome => outcomesOf(to).call;

/** The signalling code of a call that was not answered; null = answered. */
export function sipCodeOf(to: string, end: 'completed' | CallOutcome): number | null {
  if (end === 'busy') return 486;
  if (end === 'no-answer') return 480;
  if (end !== 'failed') return null;
  return to.endsWith('603') ? 603 : 404;
}
