import { expect } from 'vitest';
import { ChatWindows } from '../../src/modules/providers/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { GraphUpstream } from '../support/graph-upstream.js';
import type { Answer, Member } from '../support/sms.js';
import { openWebhooks } from '../support/webhooks.js';

export const PATH = '/v6/api/messages';
export const NUMBER = '919812345678';
export const SMS = { channel: 'sms', to: `+${NUMBER}`, text: 'Your parcel is here.' };
export const SESSION = { channel: 'session', to: `+${NUMBER}`, text: 'We are open until six.' };
export const TEMPLATE = { channel: 'template', to: `+${NUMBER}`, template: 'order_ready' };

export type Messages = Awaited<ReturnType<typeof openMessages>>;

/** An API without the limit of messages, and a provider of chat. */
export async function openMessages() {
  const webhooks = await openWebhooks({ OUTBOUND_ALLOW: '127.0.0.0/8', MESSAGES_PER_SECOND: 0 });
  const upstream = await GraphUpstream.open();

  const send = (member: Member, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    webhooks.post(PATH, member, body, headers);
  const read = async (member: Member, id: unknown): Promise<Json> =>
    dataOf(await webhooks.get(`${PATH}/${String(id)}`, member));

  return {
    webhooks,
    upstream,
    send,
    read,

    stop: async (): Promise<void> => {
      await webhooks.stop();
      await upstream.stop();
    },

    /** Sends a message that must be accepted. @returns its data */
    accepted: async (member: Member, body: unknown): Promise<Json> => {
      const answer = await send(member, body);
      expect(answer).toMatchObject({ status: 202, body: { success: true } });
      return dataOf(answer);
    },

    requestIdOf: async (member: Member, id: unknown): Promise<string> => String((await read(member, id))['request_id']),

    /** A member with a chat account, whose receivers have an open window. */
    chatting: async (...contacts: string[]): Promise<Member> => {
      const member = await webhooks.join({ gsm_credits: 100, chat_utility_credits: 100 });
      const routeId = await webhooks.connect(member, 'official', { url: upstream.accountUrl });
      const sentAt = new Date();
      const open = contacts.map((contact) => ({ contact, sentAt }));
      await inTransaction(webhooks.dataSource, (tx) => webhooks.part(ChatWindows).open(tx, routeId, open));
      await webhooks.template(member, 'order_ready', { category: 2 });
      return member;
    },
  };
}
