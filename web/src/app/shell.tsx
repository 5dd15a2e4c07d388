import { Menu, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useRouterState } from '@tanstack/react-router';
import { BASE } from './base.js';
import { useKeptFocus } from './kept-focus.js';
import { Mark } from './lonely.js';
import { Navigation } from './navigation.js';
import type { Role } from './page-definition.js';
import { pagesOf } from './pages.js';
import { logOut, useMe } from './session.js';
import { OutOfDate } from './staleness.js';
import { ThemeSwitch } from './theme-switch.js';
import { HeaderTools } from './header-tools.js';

/** What stands around every page: bar, navigation, and the place of the page itself. */
export function Shell({ role, children }: { role: Role; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const { rights } = useMe();
  const pages = useMemo(() => pagesOf(role, rights), [role, rights]);
  const main = useRef<HTMLElement>(null);
  const menu = useRef<HTMLButtonElement>(null);
  useFocusOnNavigation(main);
  useKeptFocus(main);
  return (
    <div className={isOpen ? 'shell open' : 'shell'}>
      <a
        className="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className="bar">
        <button
          ref={menu}
          type="button"
          className="icon menu"
          aria-expanded={isOpen}
          aria-controls="side"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <X size={20} aria-hidden /> : <Menu size={20} aria-hidden />}
          <span className="unseen">{isOpen ? 'Close the navigation' : 'Open the navigation'}</span>
        </button>
        <Link to="/" className="brand" aria-label="Switchboard, start page">
          <Mark />
          <span>Switchboard</span>
        </Link>
        <HeaderTools role={role} />
      </header>
      {/* Escape closes the drawer as it closes a dialog */}
      <div
        id="side"
        className="side"
        role="presentation"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isOpen) return;
          setOpen(false);
          menu.current?.focus();
        }}
      >
        <Navigation role={role} pages={pages} onChosen={() => setOpen(false)} />
        <Who role={role} />
      </div>
      <OutOfDate />
      <main id="content" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}

/** Who works here, and the ways out. */
function Who({ role }: { role: Role }) {
  const { name, username, person } = useMe();
  return (
    <section className="who" aria-label="Your session">
      <p title={person === null ? username : `${person.username} for ${username}`}>
        {person === null ? name || username : person.name || person.username}
        {person !== null && <span className="muted"> for {username}</span>}
      </p>
      <ul>
        {role === 'staff' && (
          <li>
            <a href={`${BASE}/admin/queues`}>Queues</a>
          </li>
        )}
        <li>
          <a href={`${BASE}/docs/guide`}>Guide</a>
        </li>
        <li>
          <a href={`${BASE}/docs`}>API</a>
        </li>
        <li>
          <button type="button" className="link" onClick={() => void logOut()}>
            Log out
          </button>
        </li>
      </ul>
      <ThemeSwitch />
    </section>
  );
}

/** After a way to another page the focus is at its heading; a change of filters leaves it where it is. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const former = before.current;
    before.current = path;
    if (former === undefined || former === path) return;
    const heading = main.current?.querySelector<HTMLElement>('h1');
    (heading ?? main.current)?.focus({ preventScroll: true });
  }, [path, main]);
}
