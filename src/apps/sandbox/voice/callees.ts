import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type CallFate, callFateOf } from './call-fates.js';

const number = z
  .string()
  .transform((text) => text.replace(/\D/g, ''))
  .pipe(z.string().min(1));
const outcome = z.enum(['answered', 'busy', 'no-answer', 'failed']);

/** `POST /voice/script`: how people behave who are called. */
export const calleeSchema = z
  .object({
    to: number,
    /** the keys pressed, one a question; '' = silence, `hangup` = hangs up there; then silence. In every call anew */
    digits: z.array(z.string().regex(/^([0-9*#]?|hangup)$/)).default([]),
    /** how those end that the call is forwarded to; others by their last three digits */
    forwards: z.record(z.string(), outcome).default({}),
    /** what becomes of the first, second, … call; further ones by the last three digits */
    outcomes: z.array(outcome).default([]),
    /** says something when asked to */
    speaks: z.boolean().default(true),
  })
  .strict();

export type Callee = z.infer<typeof calleeSchema>;

/** People who are called, as tests describe them. */
@Injectable()
export class Callees {
  private readonly known = new Map<string, Callee>();
  private readonly calls = new Map<string, number>();

  set(callee: Callee): void {
    this.known.set(callee.to, callee);
    this.calls.delete(callee.to);
  }

  get(to: string): Callee {
    return this.known.get(to) ?? { to, digits: [], forwards: {}, outcomes: [], speaks: true };
  }

  /** What becomes of the next call to this number. */
  nextFate(to: string): CallFate {
    const { outcomes } = this.get(to);
    if (outcomes.length === 0) return callFateOf(to);
    const calls = this.calls.get(to) ?? 0;
    this.calls.set(to, calls + 1);
    return outcomes[calls] ?? callFateOf(to);
  }

  clear(): void {
    this.known.clear();
    this.calls.clear();
  }
}
