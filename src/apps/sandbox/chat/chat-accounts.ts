import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CallbackSender } from '../http/callback-sender.js';

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
