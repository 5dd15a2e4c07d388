import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isUserId } from '../../../kernel/chat-user-id.js';
import { messageId, MessageIds } from '../carrier/message-ids.js';
import { CallbackSender } from '../http/callback-sender.js';
import { ChatAccountBook, messagesChange } from './chat-accounts.js';

const WINDOW_MS = 24 * 60 * 60 * 1_000;

const isNamed = ({ from, user_id }: { from?: string | undefined; user_id?: string | undefined }): boolean =>
  (from ?? user_id) !== undefined;

/** `POST /chat/preferences`: a customer's customer stops campaigns, or resumes them. */
export const preferenceSchema = z
  .object({
    phone_number_id: z.string(),
    from: z.string().optional(),
    user_id: z.string().optional(),
    value: z.enum(['stop', 'resume']),
  })
  .refine(isNamed, 'from or user_id is required');

export type PreferenceRequest = z.infer<typeof preferenceSchema>;

/** `POST /chat/inbound`: what a customer's customer writes. */
export const inboundSchema = z
  .object({
    phone_number_id: z.string(),
    from: z
      .string()
      .regex(/^[0-9]{1,30}$/)
      .optional(),
    /** of a sender who shows no number, or beside it */
    user_id: z.string().refine(isUserId, 'must be a user id').optional(),
    /** name in the sender's profile */
    name: z.string().default('Customer'),
    text: z.string().optional(),
    /** a message of any type: `{ type, <type>: …, id?, timestamp?, context? }` */
    message: z.looseObject({ type: z.string() }).optional(),
  })
  .refine(({ text, message }) => (text === undefined) !== (message === undefined), 'one of text or message is required')
  .refine(isNamed, 'from or user_id is required');

export type InboundRequest = z.infer<typeof inboundSchema>;

/** Messages from the telephones to the accounts. */
@Injectable()
export class ChatInbound {
  private readonly ids = new MessageIds();
  private readonly lastWritten = new Map<string, number>();

  constructor(
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  /** Says whether the number wrote to the account in the last 24 hours. */
  isOpen(phoneNumberId: string, from: string): boolean {
    return (this.lastWritten.get(`${phoneNumberId} ${from}`) ?? -Infinity) > Date.now() - WINDOW_MS;
  }

  clear(): void {
    this.lastWritten.clear();
  }

  /** @returns the message's id and whether the callback took it; null for a number that is not registered */
  async write(request: InboundRequest): Promise<{ id: string; taken: boolean } | null> {
    const account = this.accounts.byPhoneNumberId(request.phone_number_id);
    if (!account) return null;
    const { from, user_id: userId, text } = request;
    const address = from ?? userId ?? '';
    const message = {
      ...(from !== undefined && { from }),
      ...(userId !== undefined && { from_user_id: userId }),
      id: messageId(address, this.ids.next()),
      timestamp: String(Math.floor(Date.now() / 1000)),
      ...(request.message ?? { type: 'text', text: { body: text } }),
    };
    for (const written of [from, userId]) {
      if (written !== undefined) this.lastWritten.set(`${request.phone_number_id} ${written}`, Date.now());
    }
    const contacts = [{ profile: { name: request.name }, ...contactOf(request) }];
    const { body, headers } = this.accounts.signed(account, [
      messagesChange(account, { contacts, messages: [message] }),
    ]);
    return { id: message.id, taken: await this.callbacks.postOnce(account.callback_url, body, headers) };
  }

  /** @returns whether the callback took the change; null for a number that is not registered */
  async prefer(request: PreferenceRequest): Promise<boolean | null> {
    const account = this.accounts.byPhoneNumberId(request.phone_number_id);
    if (!account) return null;
    const { value } = request;
    const preference = {
      ...contactOf(request),
      detail: `User requested to ${value} marketing messages`,
      category: 'marketing_messages',
      value,
      timestamp: Math.floor(Date.now() / 1000),
    };
    const change = { contacts: [contactOf(request)], user_preferences: [preference] };
    const { body, headers } = this.accounts.signed(account, [messagesChange(account, change, 'user_preferences')]);
    return this.callbacks.postOnce(account.callback_url, body, headers);
  }
}

const contactOf = ({ from, user_id }: Pick<InboundRequest, 'from' | 'user_id'>): Record<string, unknown> => ({
  ...(from !== undefined && { wa_id: from }),
  ...(user_id !== undefined && { user_id }),
});
