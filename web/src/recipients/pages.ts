import { FileSpreadsheet, ListChecks } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/uploads',
    title: 'Files of recipients',
    roles,
    nav: { group: 'Send', order: 50, icon: FileSpreadsheet },
    load: () => import('./uploads-page.js'),
  },
  { path: '/uploads/$id', title: 'File of recipients', roles, load: () => import('./upload-page.js') },
  {
    path: '/lists',
    title: 'Lists',
    roles,
    nav: { group: 'Send', order: 60, icon: ListChecks },
    load: () => import('./lists-page.js'),
  },
  { path: '/lists/$id', title: 'List', roles, load: () => import('./list-page.js') },
];
