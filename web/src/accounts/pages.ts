import {
  ChartColumn,
  Coins,
  FileClock,
  Gauge,
  KeyRound,
  ListX,
  Lock,
  ShieldAlert,
  Snowflake,
  Tags,
  Users,
  UsersRound,
  Webhook,
  History,
} from 'lucide-react';
import type { PageDefinition, Role } from '../app/page-definition.js';

const ALL: readonly Role[] = ['staff', 'reseller', 'owner'];
const MANAGERS: readonly Role[] = ['staff', 'reseller'];
const STAFF: readonly Role[] = ['staff'];
const own = (order: number, icon: typeof Coins) => ({ group: 'Own account', order, icon }) as const;
const ofAccounts = (order: number, icon: typeof Coins, label?: string) =>
  ({ group: 'Accounts', order, icon, ...(label === undefined ? {} : { label }) }) as const;

export const pages: readonly PageDefinition[] = [
  {
    path: '/accounts',
    title: 'Accounts',
    roles: MANAGERS,
    nav: ofAccounts(10, Users),
    load: () => import('./accounts-page.js'),
  },
  {
    path: '/new-account',
    title: 'New account',
    roles: MANAGERS,
    needs: ['manage'],
    load: () => import('./new-account-page.js'),
  },
  { path: '/accounts/$username', title: 'Account', roles: MANAGERS, load: () => import('./account-page.js') },
  {
    path: '/rates',
    title: 'Rate plans',
    roles: STAFF,
    nav: ofAccounts(20, Tags),
    load: () => import('./rate-plans-page.js'),
  },
  { path: '/rates/$plan', title: 'Rate plan', roles: STAFF, load: () => import('./rate-plan-page.js') },
  {
    path: '/webhooks',
    title: 'Webhooks of all accounts',
    roles: STAFF,
    nav: ofAccounts(30, Webhook, 'All webhooks'),
    load: () => import('./webhooks-page.js'),
  },
  { path: '/webhooks/$id', title: 'Webhook', roles: STAFF, load: () => import('./webhook-page.js') },
  {
    path: '/audit',
    title: 'Audit log',
    roles: STAFF,
    nav: ofAccounts(40, FileClock),
    load: () => import('./audit-page.js'),
  },
  {
    path: '/security-log',
    title: 'Security log',
    roles: STAFF,
    nav: ofAccounts(50, ShieldAlert),
    load: () => import('./security-page.js'),
  },
  {
    path: '/freezes',
    title: 'Freezes',
    roles: STAFF,
    nav: ofAccounts(60, Snowflake),
    load: () => import('./freezes-page.js'),
  },
  {
    path: '/account/limits',
    title: 'Limits',
    roles: ALL,
    nav: own(35, Gauge),
    load: () => import('./limits-page.js'),
  },
  {
    path: '/account/credits',
    title: 'Credits',
    roles: ALL,
    nav: own(20, Coins),
    load: () => import('./credits-page.js'),
  },
  {
    path: '/account/usage',
    title: 'Usage',
    roles: ALL,
    nav: own(30, ChartColumn),
    load: () => import('./usage-page.js'),
  },
  {
    path: '/account/webhooks',
    title: 'Webhooks',
    roles: ALL,
    needs: ['webhooks'],
    nav: own(50, Webhook),
    load: () => import('./own-webhooks-page.js'),
  },
  {
    path: '/account/webhooks/$id',
    title: 'Webhook',
    roles: ALL,
    needs: ['webhooks'],
    load: () => import('./own-webhook-page.js'),
  },
  {
    path: '/account/stop-list',
    title: 'Stop list',
    roles: ALL,
    nav: own(60, ListX),
    load: () => import('./stop-list-page.js'),
  },
  {
    path: '/account/api-keys',
    title: 'API keys',
    roles: ALL,
    needs: ['account'],
    nav: own(40, KeyRound),
    load: () => import('./api-keys-page.js'),
  },
  {
    path: '/account/people',
    title: 'People',
    roles: ALL,
    needs: ['account'],
    nav: own(70, UsersRound),
    load: () => import('./people-page.js'),
  },
  {
    path: '/account/log',
    title: 'Activity log',
    roles: ALL,
    needs: ['account'],
    nav: own(80, History),
    load: () => import('./log-page.js'),
  },
  {
    path: '/account/password',
    title: 'Password',
    roles: ALL,
    nav: own(90, Lock),
    load: () => import('./password-page.js'),
  },
];
