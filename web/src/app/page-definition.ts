import type { ComponentType } from 'react';
import type { LucideIcon } from 'lucide-react';
import type { components } from '../api/schema.js';

/** Who sees a page: `staff` = super and admin, `reseller`, `owner` = every other account and the people under it. */
export type Role = 'staff' | 'reseller' | 'owner';

/** What a login may do, and the role of a person, as the API says it (docs/reference/accounts.md#rights). */
export type Right = components['schemas']['OwnAccountView']['rights'][number];
/** One of these is needed to send, upload, pause and retry. */
export const SENDS: readonly Right[] = ['send:sms', 'send:chat', 'send:voice'];
export type PersonRole = components['schemas']['UserAnswerData']['role'];

/** Groups of the navigation, in their order: first what an account is for, and for staff what they are called for. */
export const NAVIGATION_GROUPS = {
  owner: ['Send', 'Watch', 'Accounts', 'Own account'],
  reseller: ['Send', 'Watch', 'Accounts', 'Own account'],
  staff: ['Watch', 'Operate', 'Review', 'Accounts', 'Send', 'Own account'],
} as const satisfies Readonly<Record<Role, readonly string[]>>;

export type NavigationGroup = (typeof NAVIGATION_GROUPS)[Role][number];

/** Filters of a page as they stand in its address; empty ones are left out. */
export type Search = Record<string, string | undefined>;

/**
 * A page of the application. Each feature lists its own in `<feature>/pages.ts`; `app/pages.ts` joins them. Two features
 * may have a page at one path when their roles differ (such as the home pages).
 */
export interface PageDefinition {
  /** below /app, as TanStack Router writes it: `/campaigns/$id` */
  path: string;
  /** of the browser's tab; the heading is the page's own */
  title: string;
  roles: readonly Role[];
  /** the page is there only for who has one of these; absent: for all */
  needs?: readonly Right[];
  /** absent: not in the navigation */
  nav?: {
    group: NavigationGroup;
    order: number;
    icon: LucideIcon;
    /** default: the title */
    label?: string;
    /** shown behind the label: how much waits there */
    Count?: ComponentType;
  };
  /** what of the address's search the page understands; absent: everything, as it is */
  search?: (raw: Record<string, unknown>) => object;
  load: () => Promise<{ default: ComponentType }>;
}
