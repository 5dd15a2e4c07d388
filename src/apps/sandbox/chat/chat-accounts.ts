import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isUserId } from '../../../kernel/contacts.js';
import { messageId, MessageIds } from '../carrier-ledger.js';
import { CallbackSender } from '../http-exchange.js';

const digits = z.string().regex(/^[0-9]{1,30}$/);

/** `POST /chat/accounts`: what a customer sets up in the upstream's console. */
export const chatAccountSchema = z.object({
  phone_number_id: digits,
  waba_id: digits.nullish().transform((id) => id ?? null),
  callback_url: z.url(),
  app_secret: z.string().min(1),
  verify_token: z.string().min(1),
  display_phone_number: z.string().default('15550000000'),
});

export type SandboxChatAccount = z.infer<typeof chatAccountSchema>;

/** Phone numbers whose callbacks the upstream knows. Any other number sends just as well, and gets no callbacks. */
@Injectable()
export class ChatAccountBook {
  private readonly accounts = new Map<string, SandboxChatAccount>();

  constructor(private readonly callbacks: CallbackSender) {}

  byPhoneNumberId(id: string): SandboxChatAccount | null {
    return this.accounts.get(id) ?? null;
  }

  /** Numbers of a business account. */
  byWabaId(id: string): SandboxChatAccount[] {
    return [...this.accounts.values()].filter((account) => account.waba_id === id);
  }

  /**
   * Keeps an account once its callback has answered the verification call with the challenge.
   * @returns false when it has not: nothing is kept
   */
  async register(account: SandboxChatAccount): Promise<boolean> {
    const challenge = String(randomInt(100_000_000, 1_000_000_000));
    const url = new URL(account.callback_url);
    url.searchParams.set('hub.mode', 'subscribe');
    url.searchParams.set('hub.challenge', challenge);
    url.searchParams.set('hub.verify_token', account.verify_token);
    const answer = await this.callbacks.get(url.href);
    if (answer?.status !== 200 || answer.body.toString() !== challenge) return false;
    this.accounts.set(account.phone_number_id, account);
    return true;
  }

  /** Body and headers of a signed callback. */
  signed(account: SandboxChatAccount, changes: ChatChange[]): { body: string; headers: Record<string, string> } {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: account.waba_id ?? '0', time: Math.floor(Date.now() / 1000), changes }],
    });
    const signature = createHmac('sha256', account.app_secret).update(body).digest('hex');
    return { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } };
  }
}

/** What a callback reports. */
export interface ChatChange {
  field: 'messages' | 'user_preferences' | 'message_template_status_update';
  value: Record<string, unknown>;
}

/** A change of field `messages`, or of another that belongs to a number. */
export const messagesChange = (
  account: SandboxChatAccount,
  value: Record<string, unknown>,
  field: ChatChange['field'] = 'messages',
): ChatChange => ({
  field,
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: account.display_phone_number, phone_number_id: account.phone_number_id },
    ...value,
  },
});

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
