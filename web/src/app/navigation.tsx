import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { NAVIGATION_GROUPS, type NavigationGroup, type PageDefinition, type Role } from './page-definition.js';

type Shown = PageDefinition & { nav: NonNullable<PageDefinition['nav']> };

interface Group {
  name: NavigationGroup;
  pages: Shown[];
}

/** The groups of the navigation that have pages, in their order. */
export function navigationOf(role: Role, pages: readonly PageDefinition[]): Group[] {
  const shown = pages.flatMap((page) => (page.nav === undefined ? [] : [{ ...page, nav: page.nav }]));
  return NAVIGATION_GROUPS[role]
    .map((name) => ({
      name,
      pages: shown.filter(({ nav }) => nav.group === name).sort((a, b) => a.nav.order - b.nav.order),
    }))
    .filter(({ pages: own }) => own.length > 0);
}

/** Every page with a place in the navigation: the home page, then the groups. @param onChosen closes the drawer of narrow screens */
export function Navigation({
  role,
  pages,
  onChosen,
}: {
  role: Role;
  pages: readonly PageDefinition[];
  onChosen?: () => void;
}) {
  const groups = navigationOf(role, pages);
  const paths = groups.flatMap((group) => group.pages.map(({ path }) => path));
  const home = groups.flatMap((group) => group.pages).find(({ path }) => path === '/');
  const way = (page: Shown) => (
    <li key={page.path}>
      <Way page={page} isExact={paths.some((path) => path.startsWith(`${page.path}/`))} onChosen={onChosen} />
    </li>
  );
  return (
    <nav aria-label="Pages" className="navigation">
      {home !== undefined && <ul>{way(home)}</ul>}
      {groups.map(({ name, pages: own }) => {
        const others = own.filter((page) => page !== home);
        return others.length === 0 ? null : (
          <div key={name} role="group" aria-labelledby={`group-${idOf(name)}`}>
            <h2 id={`group-${idOf(name)}`}>{name}</h2>
            <ul>{others.map(way)}</ul>
          </div>
        );
      })}
    </nav>
  );
}

/** @param isExact other entries lie below its address, which make it no less another page */
function Way({
  page: { path, title, nav },
  isExact,
  onChosen,
}: {
  page: Shown;
  isExact: boolean;
  onChosen?: () => void;
}) {
  return (
    <Link
      to={path}
      activeOptions={{ exact: path === '/' || isExact, includeSearch: false }}
      activeProps={{ className: 'active', 'aria-current': 'page' }}
      onClick={onChosen}
    >
      <nav.icon size={16} aria-hidden />
      <span>{nav.label ?? title}</span>
      {nav.Count !== undefined && (
        <Suspense>
          <nav.Count />
        </Suspense>
      )}
    </Link>
  );
}

const idOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
