import { type EntityManager, In, Like, MoreThanOrEqual } from 'typeorm';
import { makerPrefix } from '../../../kernel/maker.js';
import { AccountEntity } from './account.entity.js';
import { AssignedUserEntity } from './assigned-user.entity.js';

const STAFF_TYPES = ['super', 'admin', 'reseller'];
const MOST_ACCOUNTS = 1_000;

/** An account of staff that its maker, or the setter of its password, can act as. */
export interface MadeAccount {
  kind: 'account' | 'password';
  row: AccountEntity;
  /** since when; null = from its beginning */
  since: Date | null;
}

/** A person or account that may have made accounts. */
interface PossibleMaker {
  id: number;
  since: Date | null;
}

/**
 * Accounts of staff that people made or whose password they set, and those of these and of the people under them in
 * turn: one who wants to stay would make the second account by the first.
 * @param own the account that the people act for, which is never one of them
 * @returns by id, at most 1,000 and what the last of them made
 */
export async function staffMadeBy(
  source: EntityManager,
  own: number,
  personIds: readonly number[],
): Promise<MadeAccount[]> {
  const found = new Map<number, MadeAccount>();
  let makers: PossibleMaker[] = personIds.map((id) => ({ id, since: null }));
  while (makers.length > 0 && found.size < MOST_ACCOUNTS) {
    const fresh: MadeAccount[] = [];
    for (const one of await madeOrSet(source, makers)) {
      const known = found.get(one.row.id);
      if (one.row.id === own || known?.kind === 'account' || known?.kind === one.kind) continue;
      found.set(one.row.id, one);
      fresh.push(one);
    }
    makers = [...fresh.map(({ row, since }) => ({ id: row.id, since })), ...(await peopleUnder(source, fresh))];
  }
  return [...found.values()].sort((a, b) => a.row.id - b.row.id);
}

/** What these made comes first, so that an account both made and given a password counts as made. */
async function madeOrSet(source: EntityManager, makers: readonly PossibleMaker[]): Promise<MadeAccount[]> {
  const common = { userType: In(STAFF_TYPES) };
  const options = { order: { id: 'ASC' }, take: MOST_ACCOUNTS } as const;
  const made = await source.find(AccountEntity, {
    ...options,
    where: makers.map(({ id, since }) => ({ ...common, createdBy: Like(prefixOf(id)), ...from('createdAt', since) })),
  });
  const set = await source.find(AccountEntity, {
    ...options,
    where: makers.map(({ id, since }) => ({
      ...common,
      passwordSetBy: Like(prefixOf(id)),
      ...from('passwordSetAt', since),
    })),
  });
  return [
    ...made.map((row) => ({ kind: 'account' as const, row, since: null })),
    ...set.map((row) => ({ kind: 'password' as const, row, since: row.passwordSetAt })),
  ];
}

/** The people whose passwords were set by one who acted as these accounts. */
async function peopleUnder(source: EntityManager, accounts: readonly MadeAccount[]): Promise<PossibleMaker[]> {
  if (accounts.length === 0) return [];
  const people = await source.find(AssignedUserEntity, {
    where: accounts.map(({ row, since }) => ({ accountId: row.id, ...from('passwordSetAt', since) })),
    select: { id: true, passwordSetAt: true },
  });
  return people.map(({ id, passwordSetAt }) => ({ id, since: passwordSetAt }));
}

const prefixOf = (id: number): string => `${makerPrefix('staff', id)}%`;

/** A bound of the time, where there is one. */
const from = <Field extends string>(field: Field, since: Date | null) =>
  since === null ? {} : { [field]: MoreThanOrEqual(since) };
