import { type Maker, makerText } from '../../../kernel/maker.js';
import type { Account } from './account.js';

/** Who acts, as far as it is kept with what is made. */
type Acting = Pick<Account, 'id' | 'username' | 'assignedUser' | 'apiKey'>;

/**
 * Who makes something: the person or the key where one acts, else the account.
 * @param accountId whose thing it is; of another account than the acting one it is made by staff
 */
export function makerOf(actor: Acting, accountId: number = actor.id): Maker {
  const { assignedUser, apiKey } = actor;
  if (accountId !== actor.id) return { kind: 'staff', ...(assignedUser ? named(assignedUser) : named(actor)) };
  if (assignedUser) return { kind: 'person', ...named(assignedUser) };
  if (apiKey) return { kind: 'key', id: apiKey.id, name: apiKey.name ?? apiKey.prefix };
  return { kind: 'account', ...named(actor) };
}

/** The same as a `created_by` column keeps it. */
export const createdBy = (actor: Acting, accountId?: number): string => makerText(makerOf(actor, accountId));

const named = ({ id, username }: { id: number; username: string }): Pick<Maker, 'id' | 'name'> => ({
  id,
  name: username,
});
