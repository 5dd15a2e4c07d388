import { type MakerKind, readMaker } from '../../../kernel/maker.js';
import { urlOrigin } from '../../../kernel/url-secrets.js';
import type { Account } from './account.js';

/** A thing that acts on by itself when its maker is gone. */
export interface MadeThing {
  kind: 'webhook' | 'account' | 'password';
  /** of the webhook or the account */
  id: number;
  /** URL of the webhook, username of the account */
  name: string;
  /** a password is active until it is ended */
  is_active: boolean;
}

/** The people or keys that made things, and the account that they act for. */
export interface Gone {
  account: Pick<Account, 'id' | 'username'>;
  kind: Extract<MakerKind, 'person' | 'key'>;
  ids: readonly number[];
}

/** Whether one of them made it. @param createdBy as it is stored */
export function isMadeBy({ kind, ids }: Gone, createdBy: string | null): boolean {
  const maker = readMaker(createdBy);
  return maker?.kind === kind && maker.id !== null && ids.includes(maker.id);
}

/** As staff and resellers see it: the path of a webhook may hold a secret of its owner. */
export const shownToManager = (thing: MadeThing): MadeThing =>
  thing.kind === 'webhook' ? { ...thing, name: urlOrigin(thing.name) } : thing;

/** What ended with its maker. */
export interface Ended {
  /** accounts that were closed */
  closed: readonly number[];
  /** accounts whose password was ended */
  shutOut: readonly number[];
}

export const NOTHING_ENDED: Ended = { closed: [], shutOut: [] };
