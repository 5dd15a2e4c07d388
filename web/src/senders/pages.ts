import { BadgeCheck, IdCard } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/sender-ids',
    title: 'Sender ids',
    roles,
    nav: { group: 'Send', order: 70, icon: IdCard },
    load: () => import('./sender-ids-page.js'),
  },
  {
    path: '/profile-requests',
    title: 'Display names',
    roles,
    nav: { group: 'Send', order: 80, icon: BadgeCheck },
    load: () => import('./profile-requests-page.js'),
  },
];
