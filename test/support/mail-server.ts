import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { until } from './processes.js';

export interface Received {
  from: string;
  to: string[];
  /** as it came over the wire, with headers */
  raw: string;
  isEncrypted: boolean;
}

/** A mail server of another house (`smtp-server`), with a certificate for `localhost` by an authority of its own. */
export class MailServer {
  private constructor(
    readonly received: Received[],
    private readonly server: SMTPServer,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async open(options: SMTPServerOptions = {}): Promise<MailServer> {
    const directory = mkdtempSync(join(tmpdir(), 'mail-'));
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(directory, name)) as [string, string];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
    const received: Received[] = [];
    const server = new SMTPServer({
      key: readFileSync(key),
      cert: readFileSync(cert),
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString(),
            isEncrypted: session.secure,
          });
          done();
        });
      },
      ...options,
    });
    server.on('error', () => undefined); // a client that leaves
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return new MailServer(received, server, directory, (server.server.address() as AddressInfo).port);
  }

  /** The authority's certificate, for `SMTP_CA`. */
  get ca(): string {
    return join(this.directory, 'cert.pem');
  }

  /** Settings of a service that sends over it. */
  get settings() {
    const PUBLIC_URL = 'https://send.example.com';
    const SMTP_URL = `smtp://localhost:${this.port}`;
    return { SMTP_URL, SMTP_CA: this.ca, MAIL_FROM: 'Switchboard <no-reply@example.com>', PUBLIC_URL };
  }

  /** The messages to an address, once there are so many. */
  async to(address: string, count = 1): Promise<Received[]> {
    const found = (): Received[] => this.received.filter(({ to }) => to.includes(address));
    await until(`${count} e-mails to ${address}`, () => Promise.resolve(found().length >= count));
    return found();
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The text of a message whose body is quoted-printable, 7bit or base64. */
export function textOf({ raw }: Received): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
