import { ChartLine } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/charts',
    title: 'Charts',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Watch', order: 50, icon: ChartLine },
    load: () => import('./charts-page.js'),
  },
];
