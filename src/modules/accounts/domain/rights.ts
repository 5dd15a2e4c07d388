import { fieldErrors } from '../../../kernel/errors.js';
import { accountErrors } from './account.errors.js';

/** What a key can be limited to (reference/accounts#rights). */
export const SCOPES = ['send:sms', 'send:chat', 'send:voice', 'read', 'manage', 'webhooks'] as const;

/** Parses the scopes of a new key; null = every right. @throws AppError invalid for an empty list or another word */
export function readScopes(texts: readonly string[] | null): Scope[] | null {
  if (texts === null) return null;
  const scopes = SCOPES.filter((scope) => texts.includes(scope));
  const isKnown = texts.every((text) => SCOPES.some((scope) => scope === text));
  if (scopes.length === 0 || !isKnown) throw fieldErrors.noWord('scopes', SCOPES);
  return scopes;
}

export type Scope = (typeof SCOPES)[number];

/** `account`: keys, people and security settings. `self`: what each login and key may do, such as logging out. */
export type Right = Scope | 'account' | 'self';

export const SENDS = ['send:sms', 'send:chat', 'send:voice'] as const;

/** Roles that an owner gives to people; the login of the account itself is an owner for ever. */
export const PERSON_ROLES = ['owner', 'manager', 'sender', 'viewer'] as const;

export type PersonRole = (typeof PERSON_ROLES)[number];

/** The rights of each role: the only such table. Endpoints declare the right they need with `@Needs`. */
export const ROLE_RIGHTS: Readonly<Record<PersonRole, readonly Right[]>> = {
  owner: [...SCOPES, 'account', 'self'],
  manager: [...SCOPES, 'self'],
  sender: [...SENDS, 'read', 'self'],
  viewer: ['read', 'self'],
};

/** Of an `Account`. */
interface Acting {
  proofDue?: boolean;
  assignedUser?: { role: PersonRole };
  apiKey?: { scopes: readonly Scope[] | null };
}

const BEFORE_PROOF: readonly Right[] = ['read', 'self'];

/** Returns the rights of the acting login or key. A key without a list of scopes, made before there were any, has them all. */
export function rightsOf({ assignedUser, apiKey, proofDue }: Acting): readonly Right[] {
  if (proofDue) return BEFORE_PROOF;
  if (apiKey?.scopes) return [...apiKey.scopes, 'self'];
  return ROLE_RIGHTS[assignedUser?.role ?? 'owner'];
}

/** Whether the actor has one of `rights`; none suffices for an empty list. */
export const hasRight = (actor: Acting, ...rights: readonly Right[]): boolean =>
  rights.some((right) => rightsOf(actor).includes(right));

/** @throws AppError forbidden `Permission denied` without one of `rights`; another text before the proof of a registration */
export function assertRight(actor: Acting, ...rights: readonly Right[]): void {
  if (hasRight(actor, ...rights)) return;
  throw actor.proofDue ? accountErrors.proofDue() : accountErrors.missingRight();
}

/** A giver of a role needs all of its rights. @throws AppError forbidden `Permission denied` */
export function assertMayGive(actor: Acting, role: PersonRole): void {
  if (!ROLE_RIGHTS[role].every((right) => hasRight(actor, right))) throw accountErrors.higherRole();
}

/** Whether a change of the role takes rights away: roles stand in the order of their rights, the largest first. */
export const isLower = (after: PersonRole, before: PersonRole): boolean =>
  PERSON_ROLES.indexOf(after) > PERSON_ROLES.indexOf(before);

/** By kind of route; a kind that is not here needs all of `SENDS`. */
const SEND_RIGHTS: Readonly<Record<string, Scope>> = {
  sms: 'send:sms',
  voice: 'send:voice',
  unofficial: 'send:chat',
  chat: 'send:chat',
};

/** The rights that a send needs. @param routes kind of the channel's routes */
export function sendRights(routes: string): readonly Scope[] {
  const right = SEND_RIGHTS[routes];
  return right ? [right] : SENDS;
}

/** @param routes kind of the channel's routes @throws AppError forbidden `Permission denied` */
export function assertMaySend(actor: Acting, routes: string): void {
  for (const needed of sendRights(routes)) assertRight(actor, needed);
}
