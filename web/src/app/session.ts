import { useSyncExternalStore } from 'react';
import type { Right, Role } from './page-definition.js';
import { type Me, onSession, type Session, sessionNow } from './session-store.js';

export { beginSession, endSession, knowSession, logOut, type Me, tokenOfSession } from './session-store.js';

export const useSession = (): Session => useSyncExternalStore(onSession, sessionNow);

/** Which pages an account sees. */
export function roleOf(me: Pick<Me, 'user_type'>): Role {
  if (me.user_type === 'super' || me.user_type === 'admin') return 'staff';
  return me.user_type === 'reseller' ? 'reseller' : 'owner';
}

/** Who works here, on a page of the application (everywhere but at the login). */
export function useMe(): Me & { pages: Role } {
  const { me } = useSession();
  if (me === null) throw new Error('useMe outside of a session');
  return { ...me, pages: roleOf(me) };
}

/** Whether who works here has this right, or one of these; undefined: yes. */
export function useMay(needs: Right | readonly Right[] | undefined): boolean {
  const own = useSession().me?.rights ?? [];
  if (needs === undefined) return true;
  return typeof needs === 'string' ? own.includes(needs) : needs.some((right) => own.includes(right));
}
