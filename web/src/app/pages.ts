import { pages as account } from '../account/pages.js';
import { pages as accounts } from '../accounts/pages.js';
import { pages as campaigns } from '../campaigns/pages.js';
import { pages as alarms } from '../alarms/pages.js';
import { pages as chat } from '../chat/pages.js';
import { pages as home } from '../home/pages.js';
import { pages as inbound } from '../inbound/pages.js';
import { pages as messages } from '../messages/pages.js';
import { pages as recipients } from '../recipients/pages.js';
import { pages as reviews } from '../reviews/pages.js';
import { pages as send } from '../send/pages.js';
import { pages as senders } from '../senders/pages.js';
import { pages as templates } from '../templates/pages.js';
import { pages as verifications } from '../verifications/pages.js';
import { pages as charts } from '../charts/pages.js';
import { pages as routes } from '../routes/pages.js';
import type { PageDefinition, Right, Role } from './page-definition.js';

/** Every page of the application, by feature. */
export const PAGES: readonly PageDefinition[] = [
  ...home,
  ...alarms,
  ...send,
  ...recipients,
  ...templates,
  ...senders,
  ...messages,
  ...verifications,
  ...inbound,
  ...chat,
  ...reviews,
  ...charts,
  ...routes,
  ...accounts,
  ...account,
  ...campaigns,
];

/** The pages for a role with these rights. */
export const pagesOf = (role: Role, rights: readonly Right[]): readonly PageDefinition[] =>
  PAGES.filter(({ roles, needs }) => roles.includes(role) && (!needs || needs.some((right) => rights.includes(right))));
