import { CircleUser, Fingerprint, LockKeyhole } from 'lucide-react';
import type { PageDefinition } from '../app/page-definition.js';

export const pages: readonly PageDefinition[] = [
  {
    path: '/account',
    title: 'This account',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Own account', order: 10, icon: CircleUser },
    load: () => import('./account-page.js'),
  },
  {
    path: '/account/security',
    title: 'Access without a login',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Own account', order: 15, icon: LockKeyhole, label: 'Access' },
    load: () => import('./security-page.js'),
  },
  {
    path: '/account/sign-in',
    title: 'Sign-in',
    roles: ['staff', 'reseller', 'owner'],
    nav: { group: 'Own account', order: 17, icon: Fingerprint },
    load: () => import('./sign-in-page.js'),
  },
];
