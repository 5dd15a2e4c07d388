import { MessageSquarePlus, Send } from 'lucide-react';
import { type PageDefinition, SENDS } from '../app/page-definition.js';

const roles = ['owner', 'reseller', 'staff'] as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/send',
    title: 'Send',
    roles,
    needs: SENDS,
    nav: { group: 'Send', order: 10, icon: Send, label: 'New campaign' },
    load: () => import('./send-page.js'),
  },
  {
    path: '/send/session',
    title: 'Session message',
    roles,
    needs: ['send:chat'],
    nav: { group: 'Send', order: 20, icon: MessageSquarePlus },
    load: () => import('./session-page.js'),
  },
];
