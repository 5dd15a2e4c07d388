import { House, Siren } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['staff'] as const;

/** What is wrong, what runs, and what waits for staff. */
export const pages: readonly PageDefinition[] = [
  {
    path: '/',
    title: 'Now',
    roles,
    nav: { group: 'Watch', order: 10, icon: House },
    load: () => import('./now-page.js'),
  },
  {
    path: '/alarms',
    title: 'Alarms',
    roles,
    nav: { group: 'Watch', order: 15, icon: Siren },
    load: () => import('./alarms-page.js'),
  },
];
