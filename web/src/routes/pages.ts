import { Cable, Route, Scale } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/routes',
    title: 'Routes',
    roles: ['staff'],
    nav: { group: 'Operate', order: 10, icon: Cable },
    load: () => import('./routes-page.js'),
  },
  {
    path: '/new-route',
    title: 'New route',
    roles: ['staff'],
    needs: ['manage'],
    load: () => import('./new-route-page.js'),
  },
  { path: '/routes/$name', title: 'Route', roles: ['staff'], load: () => import('./route-page.js') },
  {
    path: '/routing',
    title: 'Routing',
    roles: ['staff'],
    nav: { group: 'Operate', order: 20, icon: Route },
    load: () => import('./routing-page.js'),
  },
  {
    path: '/new-routing-table',
    title: 'New routing table',
    roles: ['staff'],
    needs: ['manage'],
    load: () => import('./new-table-page.js'),
  },
  { path: '/routing/$name', title: 'Routing table', roles: ['staff'], load: () => import('./table-page.js') },
  {
    path: '/margin',
    title: 'Margin',
    roles: ['staff'],
    nav: { group: 'Operate', order: 30, icon: Scale },
    load: () => import('./margin-page.js'),
  },
];
