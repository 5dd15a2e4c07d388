import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction, connect, type Socket } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { uriDecoded } from '../../kernel/urls.js';
import { Semaphore } from '../concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../config/index.js';
import { isOpened, lookupWith, readRanges } from './address-guard.js';
import { NameResolver } from './name-resolver.js';
import { isTlsCode, OutboundError } from './outbound-error.js';

/** A plain-text e-mail to one address. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

type MailSettings = Pick<
  Environment,
  'SMTP_URL' | 'SMTP_CA' | 'MAIL_FROM' | 'NODE_ENV' | 'OUTBOUND_ALLOW' | 'DNS_SERVERS' | 'DNS_TIMEOUT'
>;

const TOTAL_MS = 15_000;
const STEP_MS = 5_000;
const AT_ONCE = 4;
const MOST_WAITING = 100;
const LONGEST_SUBJECT = 200;
/** Of a mail server's answer. */
const MOST_BYTES = 16 * 1024;
/** One address and nothing else: no second recipient, display name, comment or line break. */
const ADDRESS = /^[^\s\p{Cc}<>(),;:"[\]\\@]{1,64}@[A-Za-z0-9.-]{1,253}$/u;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Codes of nodemailer that mean an answer of the server. */
const REJECTED = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE', 'ENOAUTH']);

const unbracketed = (host: string): string => host.replace(/^\[|\]$/g, '');

/**
 * Sends e-mail over the SMTP server of `SMTP_URL` (docs/operate/production.md). TLS is required: from the start with `smtps:`, by
 * STARTTLS with `smtp:`; `?tls=off` is for this machine and `OUTBOUND_ALLOW`. One message takes 15 seconds at most.
 */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly server: URL | null;
  private readonly ca: Buffer | undefined;
  private readonly opened;
  private readonly names: NameResolver;
  private readonly permits = new Semaphore(AT_ONCE, {
    patienceMs: TOTAL_MS,
    mostWaiting: MOST_WAITING,
    refusal: () => new OutboundError('timeout', false),
  });

  constructor(@Inject(ENVIRONMENT) private readonly environment: MailSettings) {
    const { SMTP_URL, SMTP_CA, MAIL_FROM, OUTBOUND_ALLOW } = environment;
    this.server = SMTP_URL && MAIL_FROM ? new URL(SMTP_URL) : null;
    this.ca = SMTP_CA ? readFileSync(SMTP_CA) : undefined;
    this.opened = readRanges(OUTBOUND_ALLOW);
    this.names = new NameResolver(environment);
  }

  get isConfigured(): boolean {
    return this.server !== null;
  }

  /** @throws OutboundError when it was not handed over; `sent`: it may have been */
  async send(mail: Mail): Promise<void> {
    const { server } = this;
    if (!server) throw new OutboundError('refused', false);
    if (!ADDRESS.test(mail.to) || CONTROL.test(mail.subject) || mail.subject.length > LONGEST_SUBJECT) {
      throw new OutboundError('refused', false);
    }
    await this.permits.run(() => this.deliver(server, mail));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.permits.drained(STEP_MS);
    this.names.close();
  }

  private async deliver(server: URL, { to, subject, text }: Mail): Promise<void> {
    const isTls = server.searchParams.get('tls') !== 'off';
    const socket = await this.connected(server, isTls);
    const deadline = setTimeout(() => socket.destroy(new OutboundError('timeout', true)), TOTAL_MS);
    const host = unbracketed(server.hostname);
    const transport = createTransport({
      host,
      name: this.environment.MAIL_FROM?.split('@')[1]?.replace(/>.*/, '') ?? 'localhost',
      secure: server.protocol === 'smtps:',
      ...(isTls ? { requireTLS: true } : { ignoreTLS: true }),
      tls: { minVersion: 'TLSv1.2', ca: this.ca, ...(isIP(host) === 0 && { servername: host }) },
      ...(server.username !== '' && {
        auth: { user: uriDecoded(server.username), pass: uriDecoded(server.password) },
      }),
      connectionTimeout: STEP_MS,
      greetingTimeout: STEP_MS,
      socketTimeout: STEP_MS,
      maxResponseSize: MOST_BYTES,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket: (_options, callback) => callback(null, { connection: socket }),
    });
    try {
      await transport.sendMail({ from: this.environment.MAIL_FROM, to: { name: '', address: to }, subject, text });
    } catch (error) {
      throw faultOf(error);
    } finally {
      clearTimeout(deadline);
      socket.destroy();
    }
  }

  /** The operator names the server, so that its address may be private; without TLS it must be opened. */
  private connected(server: URL, isTls: boolean): Promise<Socket> {
    const isAllowed = (address: string): boolean =>
      isTls || this.environment.NODE_ENV !== 'production' || isOpened(address, this.opened);
    const lookup: LookupFunction = lookupWith(this.names, 'operator', isAllowed);
    const host = unbracketed(server.hostname);
    if (isIP(host) !== 0 && !isAllowed(host)) return Promise.reject(new OutboundError('unencrypted', false));
    const port = Number(server.port || (server.protocol === 'smtps:' ? 465 : 587));
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, lookup });
      const timer = setTimeout(() => socket.destroy(new OutboundError('timeout', false)), STEP_MS);
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeAllListeners('error');
        resolve(socket);
      });
      socket.once('error', (error) => {
        clearTimeout(timer);
        reject(error instanceof OutboundError ? error : new OutboundError('unreachable', false, error));
      });
    });
  }
}

/** Without the server's words, because they may name addresses. */
function faultOf(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { code = '', originalCode = code } = error as { code?: string; originalCode?: string };
  const cause = Object.assign(new Error('The mail server was of no use'), { code: originalCode });
  if (REJECTED.has(code)) return new OutboundError('interrupted', false, cause);
  if (code === 'ETLS' || isTlsCode(originalCode)) return new OutboundError('unencrypted', false, cause);
  return new OutboundError(code === 'ETIMEDOUT' ? 'timeout' : 'interrupted', true, cause);
}
