import { Inbox, KeyRound, MailQuestion } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/inbound-messages',
    title: 'Inbound messages',
    roles,
    nav: { group: 'Watch', order: 38, icon: Inbox },
    load: () => import('./inbound-messages-page.js'),
  },
  {
    path: '/keywords',
    title: 'Keywords',
    roles,
    nav: { group: 'Own account', order: 76, icon: KeyRound },
    load: () => import('./keywords-page.js'),
  },
  {
    path: '/inbox',
    title: 'Inbox of the operator',
    roles: ['staff'],
    nav: { group: 'Operate', order: 45, icon: MailQuestion },
    load: () => import('./inbox-page.js'),
  },
];
