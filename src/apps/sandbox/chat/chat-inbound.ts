import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MessageIds } from '../carrier/message-ids.js';
import { CallbackSender } from '../http/callback-sender.js';
import { ChatAccountBook, messagesChange } from './chat-accounts.js';
import { messageId } from './message-id.js';

const WINDOW_MS = 24 * 60 * 60 * 1_000;

/** `POST /chat/inbound`: what a customer's customer writes. */
export const inboundSchema = z
  .object({
    phone_number_id: z.string(),
    from: z.string().regex(/^[0-9]{1,30}$/),
    /** name in the sender's profile */
    name: z.string().default('Customer'),
    text: z.string().optional(),
    /** a message of any type: `{ type, <type>: …, id?, timestamp?, context? }` */
    message: z.looseObject({ type: z.string() }).optional(),
  })
  .refine(
    ({ text, message }) => (text === undefined) !== (message === undefined),
    'one of text or message is required',
  );

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

  /** @returns the message's id and whether the callback took it; null for a number nobody registered */
  async write(request: InboundRequest): Promise<{ id: string; taken: boolean } | null> {
    const account = this.accounts.byPhoneNumberId(request.phone_number_id);
    if (!account) return null;
    const { from, text } = request;
    const message = {
      from,
      id: messageId(from, this.ids.next()),
      timestamp: String(Math.floor(Date.now() / 1000)),
      ...(request.message ?? { type: 'text', text: { body: text } }),
    };
    this.lastWritten.set(`${request.phone_number_id} ${from}`, Date.now());
    const contacts = [{ profile: { name: request.name }, wa_id: from }];
    const { body, headers } = this.accounts.signed(account, [
      messagesChange(account, { contacts, messages: [message] }),
    ]);
    return { id: message.id, taken: await this.callbacks.postOnce(account.callback_url, body, headers) };
  }
}
