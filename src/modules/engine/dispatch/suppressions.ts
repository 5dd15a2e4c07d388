import { Logger } from '@nestjs/common';
import type { SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../settle/attempts.js';
import type { WindowResult } from '../settle/window-results.js';
import type { LaneTurn } from './lane-store.js';

/** The numbers that an account may not write to. The suppressions module implements it; the engine asks before each window leaves. */
export abstract class StopList {
  /** @returns those of the numbers (digits) that stand on the account's list at this moment */
  abstract among(accountId: number, numbers: readonly string[]): Promise<ReadonlySet<string>>;
}

const logger = new Logger('Suppressions');

/** Nothing leaves while the stop list cannot be read. */
const NOT_NOW: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Stop list unread' };

/** Leaves out the recipients on the account's stop list as it stands now: a STOP after the acceptance counts too. */
export async function applySuppressions(
  stopList: StopList,
  turn: LaneTurn,
  recipients: readonly DueRecipient[],
): Promise<{ leaving: readonly DueRecipient[]; held: WindowResult[] }> {
  const hold = (those: readonly DueRecipient[], outcome: WindowResult['outcome']): WindowResult[] =>
    those.map((recipient) => ({ recipient, outcome }));
  try {
    const suppressed = await stopList.among(
      turn.accountId,
      recipients.map(({ number }) => number),
    );
    if (suppressed.size === 0) return { leaving: recipients, held: [] };
    const isSuppressed = ({ number }: DueRecipient): boolean => suppressed.has(number);
    return {
      leaving: recipients.filter((recipient) => !isSuppressed(recipient)),
      held: hold(recipients.filter(isSuppressed), { kind: 'suppressed' }),
    };
  } catch (error) {
    logger.warn({ err: error, campaign: turn.campaignId }, 'stop list not read, the window waits');
    return { leaving: [], held: hold(recipients, NOT_NOW) };
  }
}
