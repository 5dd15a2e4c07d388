import { BadgeCheck, IdCard, LayoutTemplate } from 'lucide-react';
import { lazy } from 'react';
import type { PageDefinition } from '../app/page-definition.js';

const roles = ['staff'] as const;

// the list of pages is read without a browser too
const WaitingTemplates = lazy(async () => ({ default: (await import('./waiting.js')).WaitingTemplates }));
const WaitingProfileRequests = lazy(async () => ({ default: (await import('./waiting.js')).WaitingProfileRequests }));
const WaitingSenderIds = lazy(async () => ({ default: (await import('./waiting.js')).WaitingSenderIds }));

export const pages: readonly PageDefinition[] = [
  {
    path: '/reviews/templates',
    title: 'Templates to review',
    roles,
    needs: ['manage'],
    nav: { group: 'Review', order: 20, icon: LayoutTemplate, label: 'Templates', Count: WaitingTemplates },
    load: () => import('./template-reviews-page.js'),
  },
  {
    path: '/reviews/profile-requests',
    title: 'Display names to review',
    roles,
    needs: ['manage'],
    nav: { group: 'Review', order: 30, icon: BadgeCheck, label: 'Display names', Count: WaitingProfileRequests },
    load: () => import('./profile-reviews-page.js'),
  },
  {
    path: '/reviews/sender-ids',
    title: 'Sender ids to review',
    roles,
    needs: ['manage'],
    nav: { group: 'Review', order: 40, icon: IdCard, label: 'Sender ids', Count: WaitingSenderIds },
    load: () => import('./sender-reviews-page.js'),
  },
];
