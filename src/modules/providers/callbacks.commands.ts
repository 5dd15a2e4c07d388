import { Inject, Logger } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Counter } from 'prom-client';
import { now } from '../../kernel/clock.js';
import { AppError } from '../../kernel/errors.js';
import { boundedCache } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT, publicOrigin } from '../../platform/config/index.js';
import type { RawBody } from '../../platform/http/index.js';
import { Metrics } from '../../platform/observability/index.js';
import { constantTimeEqual } from '../../platform/security/index.js';
import { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from './call-script.js';
import { readAccountId } from './chat-account.js';
import { ChatAccounts } from './chat-accounts.store.js';
import { ChatInbox } from './chat-inbox.store.js';
import { ChatNotices } from './chat/chat-notices.store.js';
import { DriverRegistry } from './driver-registry.js';
import { readCallback, signatureOf, TemplateStatusSink } from './drivers/meta-cloud/callbacks.js';
import { phoneNumberIdOf } from './drivers/meta-cloud/config.js';
import {
  audioAddress,
  EMPTY_TWIML,
  renderStep,
  type TwilioConfig,
  twilioConfigSchema,
} from './drivers/twilio/call-request.js';
import {
  callIdOf,
  type FormParameters,
  isSigned,
  readEvent,
  readForm,
  readReceipt,
  stepAddress,
} from './drivers/twilio/callbacks.js';
import { ANSWER_ARRIVES_MS, AnsweredTexts, ofRoute } from './drivers/inbound-delivery.js';
import { InboundSink, type InboundText, type ProviderCallback, ReceiptSink } from './message-driver.js';
import { wrongCallback } from './providers.errors.js';
import { RouteDirectory, type RouteRecord } from './routes.store.js';
import { takenSecrets } from './secrets.js';

export type CallMatter =
  /** asks for the next step after this event */
  | { kind: 'step'; step: number; event: CallEvent['kind'] }
  /** reports the end of the call */
  | { kind: 'status' };

/** Takes a signed callback of a call; idempotent. @returns the TwiML answer, after the commit. @throws AppError `forbidden` */
export class AcceptCallCallbackCommand extends Command<string> {
  constructor(
    readonly route: string,
    readonly ref: string,
    /** null = an unknown path: the call ends */
    readonly matter: CallMatter | null,
    readonly signed: {
      /** path and query as received; the signature covers them below `PUBLIC_URL` */
      path: string;
      signature: string | undefined;
      form: Buffer | undefined;
    },
  ) {
    super();
  }
}

const HANG_UP: CallStep = { do: 'hangup' };

interface Customer {
  route: RouteRecord;
  config: TwilioConfig;
  origin: string;
}

@CommandHandler(AcceptCallCallbackCommand)
export class AcceptCallCallbackHandler implements ICommandHandler<AcceptCallCallbackCommand> {
  private readonly dropped: Counter;
  private readonly origin: string | null;

  constructor(
    private readonly routes: RouteDirectory,
    private readonly scripts: CallScripts,
    private readonly receipts: ReceiptSink,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT'>,
    metrics: Metrics,
  ) {
    this.origin = publicOrigin(environment);
    this.dropped = metrics.counter(
      'voice_callbacks_dropped_total',
      'Verified callbacks of calls that belong to another account or cannot be read',
    );
  }

  async execute({ route: name, ref, matter, signed }: AcceptCallCallbackCommand): Promise<string> {
    const customer = await this.verified(name, signed);
    const parameters = readForm(signed.form ?? Buffer.alloc(0));
    const callId = callIdOf(parameters, customer.config.account_sid);
    if (callId === null || matter === null) {
      this.dropped.inc();
      return renderStep(HANG_UP, () => '');
    }
    const call: ScriptedCall = { routeId: customer.route.id, ref, callId };
    return matter.kind === 'status'
      ? this.reported(call, parameters)
      : this.nextStep(call, matter, customer, parameters);
  }

  private async verified(
    name: string,
    { path, signature, form }: AcceptCallCallbackCommand['signed'],
  ): Promise<Customer> {
    const found = await this.routes.byName(name);
    const route = found?.channel === 'voice' && found.driver === 'twilio' ? found : null;
    const read = twilioConfigSchema.safeParse(route?.config);
    const config = read.success ? read.data : null;
    // An unknown route costs the same work, so that timing does not reveal names.
    const callback = { url: `${this.origin ?? 'http://localhost'}${path}`, signature, form: form ?? Buffer.alloc(0) };
    const proven = await isSigned(callback, config?.auth_token ?? 'no such route');
    if (!proven || !route || !config || this.origin === null || form === undefined) {
      throw wrongCallback();
    }
    return { route, config, origin: this.origin };
  }

  private async reported({ routeId, ref, callId }: ScriptedCall, parameters: FormParameters): Promise<string> {
    const receipt = readReceipt(ref, callId, parameters);
    if (receipt) await this.receipts.accept(routeId, [receipt]);
    return EMPTY_TWIML;
  }

  private async nextStep(
    call: ScriptedCall,
    { step, event: kind }: Extract<CallMatter, { kind: 'step' }>,
    customer: Customer,
    parameters: FormParameters,
  ): Promise<string> {
    const event = readEvent(kind, parameters);
    if (event === null) return EMPTY_TWIML;
    const next = await this.scripts.next(call, step, event);
    const target = { origin: customer.origin, route: customer.route.name };
    return renderStep(completed(next, customer), (then) => stepAddress(target, call.ref, step + 1, then));
  }
}

/** Our clips become URLs, and an empty caller id becomes the route's number. */
function completed(step: CallStep, { origin, config }: Customer): CallStep {
  if (step.do === 'play') return { ...step, audio: audioAddress(origin, step.audio) };
  if (step.do === 'menu' && step.prompt !== null) return { ...step, prompt: audioAddress(origin, step.prompt) };
  if (step.do === 'dial' && step.callerId === '') return { ...step, callerId: config.from ?? '' };
  return step;
}

export interface ChatCallbackTaken {
  receipts: number;
  messages: number;
  templates: number;
  /** parts of another connection, unreadable parts, parts without a sender */
  dropped: number;
}

/** Takes a signed callback of the chat provider; idempotent. @throws AppError `forbidden`, malformed_json */
export class AcceptChatCallbackCommand extends Command<ChatCallbackTaken> {
  constructor(
    readonly accountId: string,
    readonly signature: string | undefined,
    /** parsed after the signature is verified */
    readonly body: RawBody,
  ) {
    super();
  }
}

@CommandHandler(AcceptChatCallbackCommand)
export class AcceptChatCallbackHandler implements ICommandHandler<AcceptChatCallbackCommand> {
  private readonly dropped: Counter<'reason'>;

  constructor(
    private readonly accounts: ChatAccounts,
    private readonly inbox: ChatInbox,
    private readonly receipts: ReceiptSink,
    private readonly templates: TemplateStatusSink,
    private readonly notices: ChatNotices,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(
      'switchboard_inbound_dropped_total',
      'Parts of verified chat callbacks that did not count, by reason',
      ['reason'],
    );
  }

  async execute({ accountId, signature, body }: AcceptChatCallbackCommand): Promise<ChatCallbackTaken> {
    const { bytes } = body;
    const id = readAccountId(accountId);
    const account = id === null ? null : await this.accounts.byId(id);
    // An account without secret costs the same work, so that timing does not reveal accounts.
    const secrets = account ? takenSecrets(account.appSecret, account.formerAppSecret) : [];
    const isSigned = (secrets.length > 0 ? secrets : ['no such account'])
      .map((secret) => constantTimeEqual(signature ?? '', signatureOf(bytes ?? Buffer.alloc(0), secret)))
      .includes(true);
    if (!account || secrets.length === 0 || bytes === undefined || !isSigned) {
      throw wrongCallback();
    }
    const receivedAt = now();
    const owner = { phoneNumberId: phoneNumberIdOf(account), wabaId: account.wabaId };
    const read = readCallback(owner, await body.value(), receivedAt);
    const { receipts, messages, consents, templates, notices, dropped } = read;
    for (const reason of dropped) this.dropped.inc({ reason });
    await this.inbox.take(account, messages, receivedAt, read);
    if (receipts.length > 0) await this.receipts.accept(account.id, receipts);
    const strange = templates.length > 0 ? await this.templates.accept(account, templates) : [];
    await this.notices.keep(account, [...notices, ...strange.map(({ notice }) => notice)], receivedAt);
    return {
      receipts: receipts.length,
      messages: messages.length + consents.length,
      templates: templates.length,
      dropped: dropped.length,
    };
  }
}

/** Takes receipts and inbound texts. @returns number of receipts, after the commit. @throws AppError `forbidden`, body faults */
export class AcceptProviderCallbackCommand extends Command<number> {
  constructor(
    readonly channel: string,
    readonly route: string,
    readonly secret: string,
    readonly head: Omit<ProviderCallback, 'body'>,
    /** reads the body after the secret is verified */
    readonly body: () => Promise<unknown>,
  ) {
    super();
  }
}

const QUIET_MS = 60_000;

@CommandHandler(AcceptProviderCallbackCommand)
export class AcceptProviderCallbackHandler implements ICommandHandler<AcceptProviderCallbackCommand> {
  private readonly logger = new Logger('Callbacks');
  private readonly dropped: Counter<'channel' | 'reason'>;
  private readonly logged = boundedCache<string, number>(1_000);
  private readonly answered = new AnsweredTexts();

  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
    private readonly inbound: InboundSink,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(
      'switchboard_callbacks_dropped_total',
      'Verified callbacks of carriers, or entries of them, that could not be read, by reason',
      ['channel', 'reason'],
    );
  }

  async execute({ channel, route: name, secret, head, body }: AcceptProviderCallbackCommand): Promise<number> {
    const route = await this.routes.byName(name);
    // An unknown route costs the same comparison, so that timing does not reveal names.
    const secrets = route ? takenSecrets(route.callbackSecret, route.formerCallbackSecret) : ['no such route'];
    const known = secrets.map((taken) => constantTimeEqual(secret, taken)).includes(true);
    const driver = route && this.drivers.find(route.driver);
    const config = driver?.configSchema.safeParse(route?.config);
    if (!known || !route || route.channel !== channel || !driver?.parseCallback || !config?.success) {
      throw wrongCallback();
    }
    const callback: ProviderCallback = { ...head, body: await this.read(route, body) };
    const { receipts, texts, dropped } = driver.parseCallback({ ...route, config: config.data }, callback);
    for (const { reason, word } of dropped) this.drop(route, reason, word);
    if (receipts.length > 0) await this.receipts.accept(route.id, receipts);
    if (texts.length > 0) await this.take(route.id, texts);
    return receipts.length;
  }

  private async take(routeId: number, texts: readonly InboundText[]): Promise<void> {
    const deliveries = texts.flatMap(({ sms }) => (sms ? [sms.delivery] : []));
    for (const delivery of deliveries) {
      delivery.fingerprint = ofRoute(routeId, delivery.fingerprint);
      this.answered.mark(delivery);
    }
    const takenAt = performance.now();
    await this.inbound.accept(routeId, texts);
    for (const delivery of deliveries) this.answered.add(delivery, takenAt);
    setTimeout(() => {
      const acknowledged = this.answered.acknowledged(performance.now());
      if (acknowledged.length > 0) this.inbound.acknowledged(acknowledged);
    }, ANSWER_ARRIVES_MS).unref();
  }

  private async read(route: RouteRecord, body: () => Promise<unknown>): Promise<unknown> {
    try {
      return await body();
    } catch (error) {
      if (error instanceof AppError) this.drop(route, error.code, null);
      throw error;
    }
  }

  private drop({ name, channel }: RouteRecord, reason: string, word: string | null): void {
    this.dropped.inc({ channel, reason });
    const key = `${name} ${reason}`;
    const at = performance.now();
    if (at - (this.logged.get(key) ?? -QUIET_MS) < QUIET_MS) return;
    this.logged.set(key, at);
    const said = word === null ? {} : { status: word.slice(0, 64) };
    this.logger.warn({ route: name, reason, ...said }, 'a callback of the carrier counts for nothing');
  }
}
