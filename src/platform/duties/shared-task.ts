import { PeriodicTask } from '../concurrency/index.js';
import type { DutyGate } from './duty-gate.js';

/** How early or late a tick may come: whose tick comes first changes, and a busy process is soon followed by an idle one. */
export const JITTER = 0.15;

/** What a shared task is made of. */
export interface SharedTaskTerms {
  /** the processes that share it use the same */
  name: string;
  /** so often it is done by all processes together, milliseconds */
  everyMs: number;
  /** bears being done by two processes at once: that happens without Redis, and when it takes longer than the period */
  work: () => Promise<void>;
  /** is given what a run has rejected with */
  onFault: (error: unknown) => void;
}

/**
 * Something that is done again and again by one process for all (`DutyGate`). A process that is still at it leaves the
 * next time to the others.
 */
export class SharedTask extends PeriodicTask {
  constructor(gate: DutyGate, { name, everyMs, work, onFault }: SharedTaskTerms) {
    super(everyMs, async () => ((await gate.isMine(name, everyMs)) ? work() : undefined), onFault, JITTER);
  }
}
