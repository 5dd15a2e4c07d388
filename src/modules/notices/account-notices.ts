import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { cutCodePoints } from '../../kernel/text.js';
import { inTransaction } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { type Mail, Mailer, OutboundError } from '../../platform/outbound/index.js';
import { CustomerEvents } from '../customer-events/index.js';

/** What happened, by type, as the subject of its e-mail says it. */
const SUBJECTS = {
  'login.new_network': 'Login from a new network',
  'password.changed': 'Your password was changed',
  'api_key.created': 'An API key was created',
  'second_factor.changed': 'Your second factor was changed',
  'sessions.ended': 'You were signed out everywhere',
} as const;

export type NoticeType = keyof typeof SUBJECTS;

export const NOTICE_TYPES = Object.keys(SUBJECTS) as NoticeType[];

/** An account, with the person whose login is concerned; without one, its own login. */
export interface Notified {
  id: number;
  username: string;
  email: string | null;
  assignedUser?: { username: string; email: string | null };
}

/** A type and its facts, which the event and the e-mail show: never a secret. */
export type Notice = { type: NoticeType } & Record<string, string | number | boolean | null>;

export const SECURITY_EVENT = 'account.security';

const LONGEST_FACT = 200;

/** Tells owners what happened to their logins and keys (reference/accounts#notices). */
@Injectable()
export class AccountNotices {
  private readonly logger = new Logger('AccountNotices');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: CustomerEvents,
    private readonly mailer: Mailer,
  ) {}

  /**
   * Writes the event `account.security`, then sends an e-mail to the person, else to the account, in the background. Call it
   * after the commit of what it tells of; it never fails.
   */
  async notify(account: Notified, { type, ...facts }: Notice): Promise<void> {
    const login = account.assignedUser ?? account;
    const at = now().toISOString();
    const body = { ...facts, event: SECURITY_EVENT, type, login: login.username, at };
    try {
      const event = { accountId: account.id, type: SECURITY_EVENT, body };
      if (this.events.hasSubscribers) await inTransaction(this.dataSource, (tx) => this.events.publish(tx, [event]));
    } catch (error) {
      this.logger.warn({ err: safeError(error), accountId: account.id, type }, 'a security event could not be written');
    }
    const to = login.email ?? account.email;
    const text = textOf(SUBJECTS[type], { login: login.username, at, ...facts });
    if (to !== null) this.post({ to, subject: SUBJECTS[type], text });
  }

  /** Hands an e-mail over in the background; what is beyond the mailer's bounds is dropped and logged. */
  post(mail: Mail): void {
    if (!this.mailer.isConfigured) return;
    this.mailer.send(mail).catch((error: unknown) => {
      const reason = error instanceof OutboundError ? error.reason : safeError(error);
      this.logger.warn({ reason, subject: mail.subject }, 'an e-mail could not be sent');
    });
  }
}

/** Facts are written by people: each is one line. */
const textOf = (subject: string, facts: Record<string, string | number | boolean | null>): string =>
  [
    `${subject}.`,
    '',
    ...Object.entries(facts).map(([name, value]) => `${name}: ${oneLine(String(value ?? 'none'))}`),
    '',
    'If this was not you, change your password, and look through the keys and people of the account.',
    '',
  ].join('\n');

const oneLine = (text: string): string => cutCodePoints(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '), LONGEST_FACT);
