import { randomUUID } from 'node:crypto';
import { now } from '../../../kernel/clock.js';
import { readRecipient } from '../../../kernel/phone-number.js';
import { newRequestId } from '../../../kernel/request-id.js';
import { type ChannelOffer, chatQuote } from '../../engine/index.js';
import type { TemplateLibrary } from '../../templates/index.js';
import type { SendableTemplates } from './sendable-templates.js';
import { templateMessageError } from './template-messages.errors.js';
import { CREDITS_A_RECIPIENT, TEMPLATE_BALANCES, wantedOf } from './template-queue.js';

/** Request ids of the two channels (reference/engine#request-ids). */
export const TEMPLATE_REQUEST_IDS = {
  template: () => randomUUID(),
  branded: (zone: string) => newRequestId('WCAMP', 8, now(), zone),
} as const;

/** Template sends as they are sold: the category of the named template decides which balance pays, 1 a recipient. */
export const templateOffer = (
  name: 'template' | 'branded',
  library: TemplateLibrary,
  sendable: SendableTemplates,
): ChannelOffer => ({
  name,
  newRequestId: TEMPLATE_REQUEST_IDS[name],
  quote: async (accountId, templateName) => {
    const template = await library.find(accountId, templateName);
    if (!template) throw templateMessageError('notFound');
    return chatQuote(template.body, CREDITS_A_RECIPIENT, TEMPLATE_BALANCES[template.category]);
  },
  renew: async ({ accountId, content }) => {
    const template = await sendable.approved(accountId, wantedOf(content));
    const { id, connection } = await sendable.connection(accountId, name);
    const balance = TEMPLATE_BALANCES[template.category];
    return { routeId: id, service: connection, balance, unitCredits: CREDITS_A_RECIPIENT };
  },
  readContact: (entry) => {
    const read = readRecipient(entry);
    return 'digits' in read ? read.digits : null;
  },
  duplicates: 'charged',
});
