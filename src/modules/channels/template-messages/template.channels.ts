import { randomUUID } from 'node:crypto';
import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/ids.js';
import type { Channel } from '../../engine/index.js';
import { TemplateLibrary, templateSendErrors } from '../../templates/index.js';
import { keepPrices, priceDetails } from './chat-prices.store.js';
import { CHAT_EVENT, CHAT_STATUS_LABELS, chatQuote } from '../chat/index.js';
import {
  SendableTemplates,
  type TemplateChannelName,
  missingOf,
  outlineOf,
  payloadFor,
  priceNoteOf,
  refusalOf,
  templatePrice,
  wantedOf,
} from './sendable-templates.js';
import { readTemplateRecipient } from './template-request.js';

/** The category of the named template determines the balance. */
const templateChannelOf = <Name extends TemplateChannelName>(
  name: Name,
  { title, newRequestId }: Pick<Channel, 'title' | 'newRequestId'>,
): Channel<Name> => ({
  name,
  title,
  routes: 'chat',
  event: CHAT_EVENT,
  campaignStatus: { accepted: 'queued', sending: 'queued' },
  statusLabels: CHAT_STATUS_LABELS,
  newRequestId,
  readRecipient: readTemplateRecipient,
  duplicates: 'charged',
  quote: async (services, accountId, templateName) => {
    const template = await services(TemplateLibrary).find(accountId, templateName);
    if (!template) throw templateSendErrors.notFound();
    return chatQuote(template.body, templatePrice(template));
  },
  renew: async (services, { accountId, content }) => {
    const sendable = services(SendableTemplates);
    const template = await sendable.approved(accountId, wantedOf(content));
    const { id, connection } = await sendable.connection(accountId, name);
    return { routeId: id, service: connection, ...templatePrice(template) };
  },
  priceNote: (services, { accountId, content, balance }) =>
    services(TemplateLibrary)
      .find(accountId, wantedOf(content).templateName)
      .then((template) => template && priceNoteOf(template, balance)),
  details: priceDetails,
  priced: keepPrices,
  missing: missingOf,
  refused: refusalOf,
  outline: outlineOf,
  // a campaign's content is the provider's request without recipient and reference
  compose: (content, addressee) => ({ text: '', payload: payloadFor(content, addressee) }),
});

/** Template messages and campaigns over an account's official connection (reference/template-messages#connections). */
export const templateChannel = templateChannelOf('template', {
  title: 'template message',
  newRequestId: () => randomUUID(),
});

/** Branded template campaigns (reference/template-messages#connections). */
export const brandedChannel = templateChannelOf('branded', {
  title: 'branded template',
  newRequestId: (zone, { CELL: cell }) => newRequestId('WCAMP', 8, { at: now(), zone, cell }),
});
