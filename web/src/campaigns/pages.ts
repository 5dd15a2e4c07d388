import { FileCheck, Megaphone, Phone } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/campaigns',
    title: 'Campaigns',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Watch', order: 20, icon: Megaphone },
    load: () => import('./campaigns-page.js'),
  },
  {
    path: '/campaigns/$id',
    title: 'Campaign',
    roles: ['staff', 'reseller', 'owner'],
    load: () => import('./campaign-page.js'),
  },
  {
    path: '/settlements/check',
    title: 'Check a settlement',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Watch', order: 90, icon: FileCheck, label: 'Settlements' },
    load: () => import('./settlement-page.js'),
  },
  {
    path: '/reviews/voice',
    title: 'Voice campaigns',
    roles: ['staff'],
    needs: ['manage'],
    nav: { group: 'Review', order: 10, icon: Phone },
    load: () => import('./voice-desk-page.js'),
  },
];
