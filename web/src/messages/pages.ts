import { MessageSquareText } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/messages',
    title: 'Messages',
    roles,
    nav: { group: 'Watch', order: 36, icon: MessageSquareText },
    load: () => import('./messages-page.js'),
  },
  {
    path: '/messages/$id',
    title: 'Message',
    roles,
    load: () => import('./message-page.js'),
  },
];
