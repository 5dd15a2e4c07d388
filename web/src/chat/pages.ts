import { MessageSquareWarning, MessagesSquare, Store } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/session-messages',
    title: 'Session messages',
    roles,
    nav: { group: 'Watch', order: 40, icon: MessagesSquare },
    load: () => import('./session-messages-page.js'),
  },
  {
    path: '/session-messages/$id',
    title: 'Session message',
    roles,
    load: () => import('./session-message-page.js'),
  },
  {
    path: '/provider-notices',
    title: 'Provider notices',
    roles: ['staff'],
    nav: { group: 'Watch', order: 45, icon: MessageSquareWarning },
    load: () => import('./provider-notices-page.js'),
  },
  {
    path: '/business-profile',
    title: 'Business profile',
    roles,
    nav: { group: 'Own account', order: 80, icon: Store },
    load: () => import('./business-profile-page.js'),
  },
];
