import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { callOutcomeOf, messageOutcomeOf, sipCodeOf } from '../../../../kernel/contacts.js';
import type {
  MessageDriver,
  OutboundMessage,
  Receipt,
  Route,
  RouteConnection,
  RouteKind,
  SendOutcome,
} from '../../message-driver.js';

/** Name of the driver, and of the routes in views. */
export const TEST_DRIVER = 'test';

/**
 * Routes of what test keys send, one a kind. They exist in no table: staff cannot change, list or name them, and no live send
 * finds them. Ids above those of stored routes that fit a signed INT.
 */
export const TEST_ROUTE_IDS: Readonly<Record<RouteKind, number>> = {
  sms: 2_147_483_001,
  unofficial: 2_147_483_002,
  voice: 2_147_483_003,
  chat: 2_147_483_004,
};

const ROUTES: ReadonlyMap<number, Route<Record<string, unknown>>> = new Map(
  (Object.entries(TEST_ROUTE_IDS) as [RouteKind, number][]).map(([channel, id]) => [
    id,
    { id, name: TEST_DRIVER, channel, driver: TEST_DRIVER, config: {}, messagesPerSecond: null, callbackSecret: '' },
  ]),
);

export const isTestRoute = (routeId: number | null | undefined): boolean => ROUTES.has(routeId ?? 0);

/** null = not a test route */
export const testRoute = (routeId: number): Route<Record<string, unknown>> | null => ROUTES.get(routeId) ?? null;

/** Begins the ids of test messages. */
const ID = /^test-[0-9a-f]{24}-(\d{3})$/;
const ID_BYTES = 12;
const CALL_SECONDS = 10;
const AGAIN_MS = 1_000;
const RECEIPT_AFTER_MS = 200;
/** A lost receipt is asked for after this time: the id says the outcome. */
const ASKED_AFTER_MS = 60_000;
/** Receipts that wait in memory until the route pauses, and written at once. */
const MOST_WAITING = 2_000;
const AT_ONCE = 500;

/** Ends with the last digits of the number, which decide (`kernel/contacts`). */
export const newTestId = (to: string): string =>
  `test-${randomBytes(ID_BYTES).toString('hex')}-${to.replaceAll(/\D/g, '').slice(-3).padStart(3, '0')}`;

/** What the driver answers to a send, by the number. @param again whether the message was tried before */
export function testOutcome(
  to: string,
  kind: RouteKind,
  { again, items }: { again: boolean; items: number },
): SendOutcome {
  const outcome = kind === 'voice' ? callOutcomeOf(to) : messageOutcomeOf(to);
  if (outcome === 'throttled once' && !again)
    return { kind: 'retry', code: 429, text: 'Too many requests', afterMs: AGAIN_MS, throttled: true };
  if (outcome === 'error once' && !again)
    return { kind: 'retry', code: 500, text: 'Temporary error', afterMs: AGAIN_MS, throttled: false };
  if (outcome === 'refused') return { kind: 'rejected', code: 603, text: 'Message refused', submitted: true };
  return { kind: 'accepted', providerMessageIds: Array.from({ length: items }, () => newTestId(to)) };
}

/** The receipt of a test message; null = none ever, or not a test id. */
export function testReceipt(providerMessageId: string, kind: RouteKind): Receipt | null {
  const [, digits] = ID.exec(providerMessageId) ?? [];
  if (digits === undefined) return null;
  const receipt = { providerMessageId, receiver: null, isExact: true, errorCode: null, errorText: null } as const;
  if (kind !== 'voice') {
    const outcome = messageOutcomeOf(digits);
    if (outcome === 'silent') return null;
    if (outcome !== 'undeliverable') return { ...receipt, status: 'delivered' };
    return { ...receipt, status: 'failed', errorCode: 404, errorText: 'Undeliverable' };
  }
  const outcome = callOutcomeOf(digits);
  if (outcome === 'silent') return null;
  if (outcome === 'busy' || outcome === 'failed' || outcome === 'no-answer') {
    const status = outcome === 'no-answer' ? 'no_answer' : outcome;
    return { ...receipt, status, errorCode: sipCodeOf(digits, outcome), errorText: `Call ${outcome}` };
  }
  return { ...receipt, status: 'answered', durationSeconds: CALL_SECONDS };
}

type OnReceipts = (receipts: Receipt[]) => Promise<void>;

class TestConnection implements RouteConnection {
  readonly ready = true;
  readonly fault = null;
  private waiting: { receipt: Receipt; dueAt: number }[] = [];
  private writing: Promise<void> | null = null;
  private isClosing = false;

  constructor(
    private readonly kind: RouteKind,
    private readonly onReceipts: OnReceipts,
  ) {}

  get backoffMs(): number {
    return this.waiting.length > MOST_WAITING ? RECEIPT_AFTER_MS : 0;
  }

  send(message: OutboundMessage): Promise<SendOutcome> {
    const { to, again = false, attachments = [] } = message;
    const outcome = testOutcome(to, this.kind, { again, items: 1 + attachments.length });
    if (outcome.kind !== 'accepted') return Promise.resolve(outcome);
    const dueAt = performance.now() + RECEIPT_AFTER_MS;
    for (const id of outcome.providerMessageIds) {
      const receipt = testReceipt(id, this.kind);
      if (receipt) this.waiting.push({ receipt: { ...receipt, receiver: to, ref: message.ref }, dueAt });
    }
    this.writing ??= this.write().finally(() => (this.writing = null));
    return Promise.resolve(outcome);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.writing;
  }

  /** Never rejects: a receipt that is not written is asked for. */
  private async write(): Promise<void> {
    for (let [first] = this.waiting; first; [first] = this.waiting) {
      const waitMs = first.dueAt - performance.now();
      if (waitMs > 0 && !this.isClosing) await sleep(waitMs);
      const due = this.waiting.splice(0, AT_ONCE);
      await this.onReceipts(due.map(({ receipt }) => receipt)).catch(() => undefined);
    }
  }
}

/** The carrier of test keys: no network, outcomes by number as in the sandbox (reference/providers#sandbox). */
export class TestDriver implements MessageDriver<Record<string, never>> {
  readonly name = TEST_DRIVER;
  readonly channels = ['sms', 'unofficial', 'voice', 'chat'] as const;
  readonly bringsTexts = false;
  readonly configSchema = z.record(z.string(), z.never());
  readonly secretFields = [];
  readonly addressFields = [];

  /** Nothing leaves, so nothing leaves twice. */
  deduplicates(): boolean {
    return true;
  }

  asksAfterMs(): number {
    return ASKED_AFTER_MS;
  }

  ask({ channel }: Route, providerMessageId: string): Promise<Receipt | null> {
    return Promise.resolve(testReceipt(providerMessageId, channel));
  }

  open({ channel }: Route, onReceipts: OnReceipts): RouteConnection {
    return new TestConnection(channel, onReceipts);
  }
}
