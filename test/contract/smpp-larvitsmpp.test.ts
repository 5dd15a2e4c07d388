import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeText } from '../../src/platform/smpp/index.js';
import { freePort } from '../support/processes.js';
import { type BoundRoute, openRoute, TEXTS } from './smpp-route.js';

interface LarvitSms {
  from: string;
  to: string;
  message: string;
  dlr: boolean;
  smsId?: string;
  sendResp(status?: string): void;
  sendDlr(status?: string): void;
}
interface LarvitPdu {
  cmdName: string;
  params: Record<string, unknown>;
}
interface LarvitSession {
  on(event: 'sms', listener: (sms: LarvitSms) => void): void;
  closeSocket(): void;
  send(pdu: LarvitPdu, answered: (error: Error | null, answer: { cmdStatus: string }) => void): void;
}
const larvitsmpp = createRequire(import.meta.url)('larvitsmpp') as {
  server(options: Record<string, unknown>, onSession: (error: Error | null, session: LarvitSession) => void): void;
};
const larvitUtils = createRequire(import.meta.url)('larvitsmpp/lib/utils.js') as {
  splitMsg(text: string, encoding?: 'ASCII' | 'UCS2'): Buffer[];
};
const silent = Object.fromEntries(
  ['silly', 'debug', 'verbose', 'info', 'warn', 'error'].map((level) => [level, () => undefined]),
);

/** The driver against an SMSC that nobody here wrote. */
describe('SMPP driver and larvitsmpp', () => {
  const received: LarvitSms[] = [];
  const sessions: LarvitSession[] = [];
  let route: BoundRoute;

  beforeAll(async () => {
    const port = await freePort();
    larvitsmpp.server(
      {
        host: '127.0.0.1',
        port,
        log: silent,
        checkuserpass: (name: string, password: string, answer: (error: null, ok: boolean) => void) =>
          answer(null, name === 'tester' && password === 'secret'),
      },
      (_error, session) => {
        sessions.push(session);
        session.on('sms', (sms) => {
          received.push(sms);
          sms.smsId = `larvit-${received.length}`;
          sms.sendResp();
          if (sms.dlr) sms.sendDlr(sms.to.endsWith('404') ? 'UNDELIVERABLE' : 'DELIVERED');
        });
      },
    );
    route = openRoute(port);
    await route.bound();
  });

  afterAll(async () => {
    await route.connection.close();
    for (const session of sessions) session.closeSocket();
  });

  it.each(TEXTS)('text arrives identical: %s', async (_name, text, parts) => {
    const outcome = await route.send('4915112345678', text);
    expect(outcome.kind).toBe('accepted');
    if (outcome.kind === 'accepted') expect(outcome.providerMessageIds).toHaveLength(parts);
    const sms = received.at(-1);
    expect(sms).toMatchObject({ from: 'Switchbrd', to: '4915112345678', message: text, dlr: true });
  });

  it.each([
    ['4915100000001', 'delivered', null],
    ['4915100000404', 'failed', 'Undeliverable'],
  ])('reads its receipts: %s', async (to, status, errorText) => {
    const outcome = await route.send(to, 'receipt, please');
    const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0] : 'refused';
    await expect
      .poll(() => route.receipts.find((receipt) => receipt.providerMessageId === id))
      .toMatchObject({ status, errorText });
  });

  it.each<[string, string, 'ASCII' | 'UCS2', number, number]>([
    ['parts of GSM', 'one two three '.repeat(20), 'ASCII', 1, 2],
    ['parts of UCS-2', 'नमस्ते दुनिया '.repeat(12), 'UCS2', 8, 3],
  ])('texts of handsets arrive identical in %s', async (_name, text, encoding, dataCoding, parts) => {
    const session = sessions[0];
    const bodies = larvitUtils.splitMsg(text, encoding);
    expect(bodies).toHaveLength(parts);
    const before = route.inbound.texts.length;
    for (const body of bodies) {
      const status = await new Promise<string | undefined>((resolve) =>
        session?.send(
          {
            cmdName: 'deliver_sm',
            params: {
              ...{ source_addr_ton: 1, source_addr: '4915100000001', destination_addr: '57575' },
              ...{ esm_class: 0x40, data_coding: dataCoding },
              ...{ short_message: body, sm_length: body.length },
            },
          },
          (_error, answer) => resolve(answer.cmdStatus),
        ),
      );
      expect(status).toBe('ESME_ROK');
    }
    const arrived = route.inbound.texts.slice(before);
    expect(arrived.map(({ from }) => from)).toEqual(bodies.map(() => '4915100000001'));
    const written = arrived.flatMap(({ sms }) =>
      sms?.part ? [{ ...sms.part, body: Buffer.from(sms.part.body, 'hex') }] : [],
    );
    expect(written.map(({ number }) => number)).toEqual(bodies.map((_, index) => index + 1));
    expect(decodeText(written).text).toBe(text);
  });

  it.each([
    ['GSM', 'Hello @ home {€}', 0],
    ['UCS-2', 'Привет, नमस्ते', 8],
  ])('a text in one part arrives identical in %s', async (_name, text, dataCoding) => {
    const before = route.inbound.texts.length;
    const params = { source_addr_ton: 1, source_addr: '4915100000002', destination_addr: '57575' };
    const status = await new Promise<string | undefined>((resolve) =>
      sessions[0]?.send(
        { cmdName: 'deliver_sm', params: { ...params, data_coding: dataCoding, short_message: text } },
        (_error, answer) => resolve(answer.cmdStatus),
      ),
    );
    expect(status).toBe('ESME_ROK');
    expect(route.inbound.texts.slice(before).map(({ from, text: said }) => [from, said])).toEqual([
      ['4915100000002', text],
    ]);
  });

  it('is not bound with a wrong password', async () => {
    const port = await freePort();
    larvitsmpp.server(
      {
        host: '127.0.0.1',
        port,
        log: silent,
        checkuserpass: (_n: string, _p: string, answer: (e: null, ok: boolean) => void) => answer(null, false),
      },
      () => undefined,
    );
    const stranger = openRoute(port);
    expect(await stranger.send('4915112345678', 'nobody hears this')).toMatchObject({
      kind: 'unsent',
      afterMs: 0,
    });
    expect(stranger.connection.ready).toBe(false);
    await stranger.connection.close();
  });
});
