import { ShieldCheck } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/verifications',
    title: 'Verifications',
    roles: ['owner', 'reseller', 'staff'],
    nav: { group: 'Watch', order: 38, icon: ShieldCheck },
    load: () => import('./verifications-page.js'),
  },
];
