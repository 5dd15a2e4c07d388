import { House } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/',
    title: 'Home',
    roles: ['owner', 'reseller'],
    nav: { group: 'Watch', order: 0, icon: House },
    load: () => import('./home-page.js'),
  },
];
