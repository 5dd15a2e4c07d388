import { LayoutTemplate } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/templates',
    title: 'Templates',
    roles,
    nav: { group: 'Send', order: 40, icon: LayoutTemplate },
    load: () => import('./templates-page.js'),
  },
  {
    path: '/templates/new',
    title: 'New template',
    roles,
    needs: ['manage'],
    load: () => import('./new-template-page.js'),
  },
  { path: '/templates/$id', title: 'Template', roles, load: () => import('./template-page.js') },
];
