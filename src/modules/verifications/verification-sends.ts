import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { readMessageId } from '../../kernel/ids.js';
import { Mailer, OutboundError } from '../../platform/outbound/index.js';
import { Sealer } from '../../platform/security/index.js';
import { type Account, assertMaySend } from '../accounts/index.js';
import { SpokenCalls } from '../channels/voice/index.js';
import { type MessageRequest, SendMessageCommand, SendMessageHandler } from '../messages/index.js';
import { type NewCode, type SentCode, verificationName, type Wanted } from './verification-request.js';
import { filledText, VerificationTexts } from './verification-texts.store.js';
import { proofErrors, type SentChannel, verificationErrors } from './verifications.errors.js';
import type { Verification } from './verifications.store.js';

const PURPOSE = 'verification code';
/** Name of a call's campaign in lists and reports. */
const CAMPAIGN = 'verification';

type TemplateOfMessage = Extract<MessageRequest, { channel: 'template' }>['template'];

/** Of the sealed copy. */
export const placeOfCode = (id: number): string => `verifications.code:${id}`;

const textOf = (id: number, code: string): string => `${id}:${code}`;

/** Makes codes, and sends them by the commands that send other messages: their prices, rules and limits hold. */
@Injectable()
export class VerificationSends {
  constructor(
    private readonly sealer: Sealer,
    private readonly messages: SendMessageHandler,
    private readonly calls: SpokenCalls,
    private readonly texts: VerificationTexts,
    private readonly mailer: Mailer,
  ) {}

  /** A random code for a verification: a keyed hash to compare, and a sealed text to send. */
  newCode(id: number, { length, isTest }: Wanted): NewCode {
    const code = String(randomInt(10 ** length)).padStart(length, '0');
    return {
      hash: this.sealer.sign(PURPOSE, textOf(id, code)),
      sealed: this.sealer.seal(code, placeOfCode(id)),
      ...(isTest && { testCode: code }),
    };
  }

  /** Compares in constant time. */
  isCode({ id, codeHash }: Pick<Verification, 'id' | 'codeHash'>, code: string): boolean {
    return codeHash !== null && this.sealer.checkSignature(PURPOSE, textOf(id, code), codeHash) === 'valid';
  }

  /** @throws AppError forbidden without the right to send over each channel; invalid for a text that does not exist */
  async assertAllowed(account: Account, channels: readonly SentChannel[], wanted: Wanted): Promise<void> {
    for (const channel of channels) assertMaySend(account, channel);
    if (!(await this.texts.find(wanted.template, wanted.locale))) throw verificationErrors.template();
  }

  /** Sends the code over the present channel. @throws AppError as POST /v6/api/messages */
  async send(owner: Account, verification: Verification): Promise<SentCode> {
    const { id, to, wanted, codeSealed, channels, position } = verification;
    const account: Account = wanted.isTest ? { ...owner, goesOnTesting: true } : owner;
    if (codeSealed === null) throw verificationErrors.ended('over');
    const code = this.sealer.open(codeSealed, placeOfCode(id));
    const tags = { metadata: { verification_id: verificationName(id) } };
    const common = { to, schedule: null, tags, secret: code, warnings: [] };
    const channel = channels[position];
    if (channel === 'chat')
      return this.message(account, { ...common, channel: 'template', template: templateOf(wanted, code) });
    const found = await this.texts.find(wanted.template, wanted.locale);
    if (!found) throw verificationErrors.template();
    const said = channel === 'voice' ? code.split('').join(', ') : code;
    const app = wanted.app ?? `${account.firstname} ${account.lastname}`.trim();
    const text = filledText(found.text, { code: said, app, minutes: String(Math.ceil(wanted.ttlSeconds / 60)) });
    if (channel === 'email') return this.mail(to, text);
    if (channel === 'voice') {
      const call = { to, text, locale: found.locale, broadcastName: CAMPAIGN, tags, secret: said };
      const { id: campaignId, chargedCredits: credits } = await this.calls.call(account, call);
      return { campaignId, credits };
    }
    const options = { ...wanted.options, validitySeconds: wanted.ttlSeconds };
    return this.message(account, { ...common, channel: 'sms', text, route: null, options });
  }

  /** @throws AppError unavailable when nothing can have left */
  private async mail(to: string, text: string): Promise<SentCode> {
    try {
      await this.mailer.send({ to, subject: 'Your code', text: `${text}\n` });
    } catch (error) {
      if (!(error instanceof OutboundError && error.sent)) throw proofErrors.unavailable();
    }
    return { campaignId: null, credits: 0 };
  }

  private async message(account: Account, request: MessageRequest): Promise<SentCode> {
    const sent = await this.messages.execute(new SendMessageCommand(account, request, null, null));
    const key = readMessageId(sent.id);
    if (key?.kind !== 'out') throw new Error('a verification was sent as something else than a campaign');
    return { campaignId: key.campaignId, credits: sent.credits };
  }
}

/** An authentication template: the code is its body's parameter, and that of its copy-code button. */
const templateOf = ({ chatTemplate }: Wanted, code: string): TemplateOfMessage => ({
  templateName: chatTemplate ?? '',
  components: [{ type: 'body', parameters: [{ type: 'text', text: code }] }],
});
