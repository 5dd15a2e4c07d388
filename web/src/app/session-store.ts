import { BASE } from './base.js';
import type { PersonRole, Right } from './page-definition.js';

/** Who works here, as `GET /v6/api/account` tells it. */
export interface Me {
  id: number;
  username: string;
  name: string;
  mobile_no: string | null;
  user_type: string | null;
  role: 'super' | 'admin' | 'user';
  person: { id: number; username: string; name: string; role: PersonRole } | null;
  /** what this login may do; the API refuses all else */
  rights: readonly Right[];
  time_zone: string;
  /** false: the zone is that of the installation */
  time_zone_chosen: boolean;
  permissions: Record<string, boolean>;
  parent_username: string | null;
  is_reseller: boolean;
}

/** Why the last session ended: the user left, or the token counts no more. */
export type Ending = 'left' | 'ended' | null;

export interface Session {
  token: string | null;
  me: Me | null;
  ending: Ending;
}

/** In this tab only, and never in an address. */
const TOKEN = 'switchboard.token';

let session: Session = { token: sessionStorage.getItem(TOKEN), me: null, ending: null };
const listeners = new Set<() => void>();

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

/** @returns what ends the listening */
export const onSession = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const sessionNow = (): Session => session;

export const tokenOfSession = (): string | null => session.token;

/** The token of a login; who it is has to be asked. */
export function beginSession(token: string): void {
  sessionStorage.setItem(TOKEN, token);
  change({ token, me: null, ending: null });
}

/** @param me the answer of the API to this very token */
export function knowSession(me: Me): void {
  change({ ...session, me });
}

/** Forgets the token; the page becomes the login. */
export function endSession(ending: 'left' | 'ended'): void {
  sessionStorage.removeItem(TOKEN);
  change({ token: null, me: null, ending });
}

/** Ends the token at the API, and the session of the queue dashboard with it. */
export async function logOut(): Promise<void> {
  const token = session.token;
  endSession('left');
  await fetch(`${BASE}/v6/api/v1/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token ?? ''}` },
  }).catch(() => undefined);
}
