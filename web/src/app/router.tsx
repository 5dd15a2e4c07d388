import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  useRouterState,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { forgetFaults } from '../ui/toast.js';
import { BASE } from './base.js';
import { FailedPage, UnknownPage } from './failed-page.js';
import type { Right, Role } from './page-definition.js';
import { pagesOf } from './pages.js';
import { Shell } from './shell.js';
import { navigationOf } from './navigation.js';

/** Plain texts in addresses: `?state=running&page=2`, nothing quoted, nothing read as JSON. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

function stringifySearch(search: Record<string, unknown>): string {
  const filled = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value === ''
        ? []
        : [[name, String(value)]]
      : [],
  );
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`;
}

/** Sets the tab's title, and takes the focus to the new page's heading: a reader hears where it is. */
function Titled() {
  const title = useRouterState({
    select: ({ matches }) => matches.findLast((match) => match.staticData.title !== undefined)?.staticData.title,
  });
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => forgetFaults(), [pathname]);
  useEffect(() => {
    document.title = `${title ?? 'Not found'} · Switchboard`;
  }, [title]);
  return <Outlet />;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string;
  }
}

const root = (role: Role) =>
  createRootRoute({
    component: () => (
      <Shell role={role}>
        <Titled />
      </Shell>
    ),
  });

/** A router of the pages of one role with these rights; all others are unknown to it. */
export function routerFor(role: Role, rights: readonly Right[]) {
  const rootRoute = root(role);
  const pages = pagesOf(role, rights);
  const routes = pages.map(({ path, title, search, load }) =>
    createRoute({
      getParentRoute: () => rootRoute,
      path,
      staticData: { title },
      component: lazyRouteComponent(load),
      ...(search === undefined ? {} : { validateSearch: search }),
    }),
  );
  const first = navigationOf(role, pages)[0]?.pages[0];
  const home = pages.some(({ path }) => path === '/')
    ? []
    : [
        createRoute({
          getParentRoute: () => rootRoute,
          path: '/',
          beforeLoad: () => {
            // eslint knows redirects as what the router throws
            if (first !== undefined) throw redirect({ to: first.path, replace: true });
          },
        }),
      ];
  return createRouter({
    routeTree: rootRoute.addChildren([...routes, ...home]),
    basepath: `${BASE}/app`,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: UnknownPage,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}
