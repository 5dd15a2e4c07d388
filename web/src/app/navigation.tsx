import { Link } from '@tanstack/react-router';
import { NAVIGATION_GROUPS, type NavigationGroup, type PageDefinition } from './page-definition.js';

interface Group {
  name: NavigationGroup;
  pages: (PageDefinition & { nav: NonNullable<PageDefinition['nav']> })[];
}

/** The groups of the navigation that have pages, in their order. */
export function navigationOf(pages: readonly PageDefinition[]): Group[] {
  const shown = pages.flatMap((page) => (page.nav === undefined ? [] : [{ ...page, nav: page.nav }]));
  return NAVIGATION_GROUPS.map((name) => ({
    name,
    pages: shown.filter(({ nav }) => nav.group === name).sort((a, b) => a.nav.order - b.nav.order),
  })).filter(({ pages: own }) => own.length > 0);
}

/** Every page with a place in the navigation, by group. @param onChosen closes the drawer of narrow screens */
export function Navigation({ pages, onChosen }: { pages: readonly PageDefinition[]; onChosen?: () => void }) {
  return (
    <nav aria-label="Pages" className="navigation">
      {navigationOf(pages).map((group) => (
        <div key={group.name} role="group" aria-labelledby={`group-${idOf(group.name)}`}>
          <h2 id={`group-${idOf(group.name)}`}>{group.name}</h2>
          <ul>
            {group.pages.map(({ path, title, nav }) => (
              <li key={path}>
                <Link
                  to={path}
                  activeOptions={{ exact: path === '/', includeSearch: false }}
                  activeProps={{ className: 'active', 'aria-current': 'page' }}
                  onClick={onChosen}
                >
                  <nav.icon size={16} aria-hidden />
                  <span>{nav.label ?? title}</span>
                  {nav.Count !== undefined && <nav.Count />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const idOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
