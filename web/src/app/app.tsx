import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { $api } from '../api/client.js';
import { LoadState } from '../ui/load-state.js';
import { Toasts } from '../ui/toast.js';
import { BASE, isForgotPath, isLinkPath, isRegisterPath } from './base.js';
import './confirmation.js';
import { ForgotPage } from './forgot-page.js';
import { LinkPage } from './link-page.js';
import { queryClient } from './query-client.js';
import { hasToProve, ProofPage, RegisterPage } from './register-page.js';
import { routerFor } from './router.js';
import { knowSession, type Me, roleOf, useSession } from './session.js';

/** Everything behind the login (`login.ts`), and the pages of links, which need none. @returns what takes it away again */
export function mountApp(element: HTMLElement): () => void {
  const root = createRoot(element);
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  return () => root.unmount();
}

function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Inside />
      <Toasts />
    </QueryClientProvider>
  );
}

function Inside() {
  const { token, me } = useSession();
  // a link is for its login, whoever is logged in here
  if (isLinkPath(location.pathname)) return <LinkPage />;
  if (token === null && isForgotPath(location.pathname)) return <ForgotPage />;
  if (token === null) return isRegisterPath(location.pathname) ? <RegisterPage /> : null;
  if (me === null) return <Recognised key={token} />;
  return hasToProve(me) ? <ProofPage /> : <Pages me={me} />;
}

/** Asks who the token is. */
function Recognised() {
  const query = useQuery($api.queryOptions('get', '/v6/api/account'));
  const me = query.data?.data;
  useEffect(() => {
    if (me !== undefined) knowSession(me as Me);
  }, [me]);
  return (
    <main className="lonely">
      <LoadState query={query}>{() => null}</LoadState>
    </main>
  );
}

function Pages({ me }: { me: Me }) {
  const role = roleOf(me);
  const router = useMemo(() => {
    leaveLogin();
    return routerFor(role, me.rights);
  }, [role, me.rights]);
  useEffect(() => () => queryClient.clear(), []);
  return <RouterProvider router={router} />;
}

/** Someone with a session has no business at the login: on to where they wanted. */
function leaveLogin(): void {
  const { pathname, search } = location;
  if (pathname.replace(/\/$/, '') !== `${BASE}/app/login`) return;
  const then = new URLSearchParams(search).get('then') ?? '';
  // the queue dashboard is no page of the application; every other address is one of ours, never another site's
  if (/^\/admin\/queues(?=[/?]|$)/.test(then)) location.replace(BASE + then);
  else history.replaceState(null, '', `${BASE}/app${/^\/(?![/\\])/.test(then) ? then : ''}`);
}
