import { Inject, Injectable, Logger } from '@nestjs/common';
import { dateTime } from '../../../kernel/clock.js';
import { cutCodePoints } from '../../../kernel/text.js';
import { type Environment, ENVIRONMENT, publicOrigin } from '../../../platform/config/index.js';
import { Mailer, OutboundError } from '../../../platform/outbound/index.js';
import { RateCounters, tooMany } from '../../../platform/security/index.js';
import { type Account, displayName } from '../domain/account.js';
import { linkPath, type LinkPurpose } from '../domain/one-time-links.js';
import type { LinkAnswerData } from './links.dto.js';
import type { NewLink } from './one-time-links.store.js';

const MADE_PER_HOUR = 60;
const HOUR_SECONDS = 3_600;
const LONGEST_NAME = 100;

/** A link and whom it is for. */
export interface MadeLink extends NewLink {
  purpose: LinkPurpose;
  account: Account;
  login: { username: string; email: string | null };
}

/** Hands links over: by e-mail where there is an address and a mail server, else once in the answer to who made them. */
@Injectable()
export class LinkDelivery {
  private readonly logger = new Logger('LinkDelivery');

  constructor(
    private readonly mailer: Mailer,
    private readonly counters: RateCounters,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT'>,
  ) {}

  get sendsMail(): boolean {
    return this.mailer.isConfigured;
  }

  /** Counts a link that people make for others. @throws AppError too_many beyond 60 an hour of the account */
  async count(accountId: number): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.counters.hit(`links:${accountId}`, MADE_PER_HOUR, HOUR_SECONDS);
    if (!allowed) throw tooMany(retryAfterSeconds);
  }

  /** Sends it, or returns it. @param zone of the times in the answer */
  async handOver(made: MadeLink, zone: string): Promise<LinkAnswerData> {
    const emailed = await this.send(made);
    return { link: emailed ? null : this.address(made), emailed, expires_at: dateTime(made.expiresAt, zone) };
  }

  /** Returns whether the mail server took it; its faults are logged. */
  async send(made: MadeLink): Promise<boolean> {
    const { email } = made.login;
    if (email === null || !this.mailer.isConfigured) return false;
    const name = oneLine(displayName(made.account));
    const subject = made.purpose === 'invitation' ? `You are invited to ${name}` : 'A new password for your login';
    try {
      await this.mailer.send({ to: email, subject, text: this.textOf(made, name) });
      return true;
    } catch (error) {
      const reason = error instanceof OutboundError ? error.reason : 'unexpected';
      this.logger.warn({ reason, purpose: made.purpose, accountId: made.account.id }, 'a link could not be sent');
      return false;
    }
  }

  private textOf(made: MadeLink, name: string): string {
    const ends = `${dateTime(made.expiresAt, made.account.timeZone)} (${made.account.timeZone})`;
    const what =
      made.purpose === 'invitation'
        ? `You are invited to work for ${name}. Your username is ${made.login.username}.`
        : `A new password was asked for, for the login ${made.login.username}.`;
    return [
      what,
      '',
      'This link sets the password. It works once:',
      this.address(made),
      '',
      `It ends at ${ends}. If you expected no such e-mail, ignore it: nothing changes.`,
      '',
    ].join('\n');
  }

  private address({ purpose, token }: MadeLink): string {
    return `${publicOrigin(this.environment) ?? ''}${linkPath(purpose, token)}`;
  }
}

const oneLine = (text: string): string => cutCodePoints(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '), LONGEST_NAME);
