import { Link as RouterLink } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../app/page-definition.js';

interface Properties {
  /** a whole path below /app, with its parts filled in: `/campaigns/${encodeURIComponent(id)}` */
  to: string;
  search?: Search;
  className?: string;
  children: ReactNode;
}

/** A way to another page of the application. */
export function Link({ to, search, className, children }: Properties) {
  return (
    <RouterLink to={to} search={search} className={className}>
      {children}
    </RouterLink>
  );
}
