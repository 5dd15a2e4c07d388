import { Logger } from '@nestjs/common';
import { vi } from 'vitest';
import { SmppDriver } from '../../src/modules/providers/drivers/smpp/smpp.driver.js';
import { smppConfigSchema } from '../../src/modules/providers/drivers/smpp/smpp-config.js';
import type {
  InboundText,
  OutboundMessage,
  Receipt,
  RouteConnection,
  SendOutcome,
} from '../../src/modules/providers/index.js';

/** Our driver, bound to somebody's SMSC, with what it was told. */
export interface BoundRoute {
  connection: RouteConnection;
  receipts: Receipt[];
  /** replaced by tests that let commits fail or wait */
  commit: { run: (receipts: Receipt[]) => Promise<void> };
  /** texts from handsets, and what becomes of them */
  inbound: { texts: InboundText[]; run: () => Promise<void> };
  send(to: string, text: string, more?: Partial<OutboundMessage>): Promise<SendOutcome>;
  bound(): Promise<void>;
}

Logger.overrideLogger(false);
let serial = 0;

/** Opens a route over the driver; the connection comes about in the background. */
export function openRoute(port: number, config: Record<string, unknown> = {}): BoundRoute {
  const receipts: Receipt[] = [];
  const commit: BoundRoute['commit'] = { run: () => Promise.resolve() };
  const inbound: BoundRoute['inbound'] = { texts: [], run: () => Promise.resolve() };
  const connection = new SmppDriver().open(
    {
      id: 1,
      name: 'contract',
      channel: 'sms',
      driver: 'smpp',
      config: smppConfigSchema.parse({
        host: '127.0.0.1',
        port,
        system_id: 'tester',
        password: 'secret',
        source_addr: 'Switchbrd',
        ...config,
      }),
      messagesPerSecond: null,
      callbackSecret: 'unused',
    },
    async (batch) => {
      await commit.run(batch);
      receipts.push(...batch);
    },
    async (texts) => {
      await inbound.run();
      inbound.texts.push(...texts);
    },
  );
  return {
    connection,
    receipts,
    commit,
    inbound,
    bound: () => vi.waitUntil(() => connection.ready, { timeout: 60_000 }).then(() => undefined),
    send: (to, text, more = {}) =>
      connection.send({ ref: `1-${++serial}`, to, text, notAfter: performance.now() + 60_000, ...more }),
  };
}

/** Texts that have gone wrong somewhere, each with the number of its parts on the air. */
export const TEXTS: readonly [name: string, text: string, parts: number][] = [
  ['plain', 'Hello from Switchboard', 1],
  ['the whole basic alphabet', '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡AZÄÖÑÜ§¿azäöñüà', 1],
  ['extension characters', 'Total: 12 € {a} [b] ~c^d|e\\f', 1],
  ['160 characters', 'a'.repeat(160), 1],
  ['two parts', 'Switchboard '.repeat(20), 2],
  ['an extension character at the cut', `${'a'.repeat(152)}€${'b'.repeat(40)}`, 2],
  ['Unicode', 'Привет, мир', 1],
  ['70 Unicode characters', 'ж'.repeat(70), 1],
  ['Unicode of several parts', 'नमस्ते दुनिया '.repeat(12), 3],
  ['emoji at the cut', `${'ж'.repeat(66)}😀${'ж'.repeat(30)}`, 2],
];
