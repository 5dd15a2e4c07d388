import { Link as RouterLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Right, Search } from '../app/page-definition.js';
import { useMay } from '../app/session.js';

interface Properties {
  /** a whole path below /app, with its parts filled in: `/campaigns/${encodeURIComponent(id)}` */
  to: string;
  search?: Search;
  className?: string;
  /** the way is there only for who has (one of) this */
  needs?: Right | readonly Right[];
  children: ReactNode;
}

/** A way to another page of the application. */
export function Link({ to, search, className, needs, children }: Properties) {
  if (!useMay(needs)) return null;
  return (
    <RouterLink to={to} search={search} className={className}>
      {children}
    </RouterLink>
  );
}
