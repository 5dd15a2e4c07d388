import { Logger } from '@nestjs/common';
import type { SendOutcome } from '../../providers/index.js';
import type { DueRecipient } from '../settle/attempts.js';
import type { WindowResult } from '../settle/window-result.js';

/** A number that an account would write to. */
export interface Addressed {
  accountId: number;
  /** digits */
  number: string;
}

/** The numbers that an account may not write to. The suppressions module implements it; the engine asks before each window leaves. */
export abstract class StopList {
  /** @returns the places of those of the numbers that stand on their account's list at this moment */
  abstract among(addressed: readonly Addressed[]): Promise<ReadonlySet<number>>;
}

const logger = new Logger('Suppressions');

/** Nothing leaves while the stop list cannot be read. */
const NOT_NOW: SendOutcome = { kind: 'unsent', afterMs: 0, text: 'Stop list unread' };

/** Leaves out the recipients on their account's stop list as it stands now: a STOP after the acceptance counts too. */
export async function applySuppressions(
  stopList: StopList,
  recipients: readonly DueRecipient[],
): Promise<{ leaving: readonly DueRecipient[]; held: WindowResult[] }> {
  const hold = (those: readonly DueRecipient[], outcome: WindowResult['outcome']): WindowResult[] =>
    those.map((recipient) => ({ recipient, outcome }));
  if (recipients.length === 0) return { leaving: [], held: [] };
  try {
    const suppressed = await stopList.among(
      recipients.map(({ turn, number }) => ({ accountId: turn.accountId, number })),
    );
    if (suppressed.size === 0) return { leaving: recipients, held: [] };
    return {
      leaving: recipients.filter((_, place) => !suppressed.has(place)),
      held: hold(
        recipients.filter((_, place) => suppressed.has(place)),
        { kind: 'suppressed' },
      ),
    };
  } catch (error) {
    logger.warn({ err: error, campaign: recipients[0]?.turn.campaignId }, 'stop list not read, the window waits');
    return { leaving: [], held: hold(recipients, NOT_NOW) };
  }
}
