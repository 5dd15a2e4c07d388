import { type Channel, CHAT_EVENT, CHAT_STATUS_LABELS } from '../../engine/index.js';

/** What the engine keeps of a template send: the upstream's request without recipient and reference. */
const templateChannelOf = (name: 'template' | 'branded'): Channel => ({
  name,
  event: CHAT_EVENT,
  campaignStatus: { accepted: 'queued', sending: 'queued' },
  statusLabels: CHAT_STATUS_LABELS,
  compose: (content) => ({ text: '', payload: content }),
});

/** Template messages and campaigns of an account's official connection (reference/template-messages#connections). */
export const templateChannel = templateChannelOf('template');

/** Branded template campaigns (reference/template-messages#connections). */
export const brandedChannel = templateChannelOf('branded');
