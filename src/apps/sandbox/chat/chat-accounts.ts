import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isUserId } from '../../../kernel/contacts.js';
import { messageId, MessageIds } from '../carrier-ledger.js';
import { CallbackSender } from '../http-exchange.js';

const digits = z.string().regex(/^[0-9]{1,30}$/);

/** `POST /chat/accounts`: the customer's settings in the provider's console. */
export const chatAccountSchema = z.object({
  phone_number_id: digits,
  waba_id: digits.nullish().transform((id) => id ?? null),
  callback_url: z.url(),
  app_secret: z.string().min(1),
  verify_token: z.string().min(1),
  display_phone_number: z.string().default('15550000000'),
});

export type SandboxChatAccount = z.infer<typeof chatAccountSchema>;

/** Registered phone numbers with their callbacks; other numbers can send, but get no callbacks. */
@Injectable()
export class ChatAccountBook {
  private readonly accounts = new Map<string, SandboxChatAccount>();

  constructor(private readonly callbacks: CallbackSender) {}

  byPhoneNumberId(id: string): SandboxChatAccount | null {
    return this.accounts.get(id) ?? null;
  }

  byWabaId(id: string): SandboxChatAccount[] {
    return [...this.accounts.values()].filter((account) => account.waba_id === id);
  }

  /** Stores an account if its callback answers the verification challenge; false = not stored. */
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

  signed(account: SandboxChatAccount, changes: ChatChange[]): { body: string; headers: Record<string, string> } {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: account.waba_id ?? '0', time: Math.floor(Date.now() / 1000), changes }],
    });
    const signature = createHmac('sha256', account.app_secret).update(body).digest('hex');
    return { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } };
  }
}

export interface ChatChange {
  field: 'messages' | 'user_preferences' | 'message_template_status_update' | 'template_category_update';
  value: Record<string, unknown>;
}

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

export const preferenceSchema = z
  .object({
    phone_number_id: z.string(),
    from: z.string().optional(),
    user_id: z.string().optional(),
    value: z.enum(['stop', 'resume']),
  })
  .refine(isNamed, 'from or user_id is required');

export type PreferenceRequest = z.infer<typeof preferenceSchema>;

export const inboundSchema = z
  .object({
    phone_number_id: z.string(),
    from: z
      .string()
      .regex(/^[0-9]{1,30}$/)
      .optional(),
    user_id: z.string().refine(isUserId, 'must be a user id').optional(),
    name: z.string().default('Customer'),
    text: z.string().optional(),
    /** a message of any type: `{ type, <type>: …, id?, timestamp?, context? }` */
    message: z.looseObject({ type: z.string() }).optional(),
  })
  .refine(({ text, message }) => (text === undefined) !== (message === undefined), 'one of text or message is required')
  .refine(isNamed, 'from or user_id is required');

export type InboundRequest = z.infer<typeof inboundSchema>;

/** Messages from handsets to the accounts. */
@Injectable()
export class ChatInbound {
  private readonly ids = new MessageIds();
  private readonly lastWritten = new Map<string, number>();

  constructor(
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  /** Whether the number wrote to the account in the last 24 hours. */
  isOpen(phoneNumberId: string, from: string): boolean {
    return (this.lastWritten.get(`${phoneNumberId} ${from}`) ?? -Infinity) > Date.now() - WINDOW_MS;
  }

  clear(): void {
    this.lastWritten.clear();
  }

  // null = the number is not registered
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
