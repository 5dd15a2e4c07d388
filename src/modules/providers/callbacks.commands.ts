import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Counter } from 'prom-client';
import { now } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT, publicOrigin } from '../../platform/config/index.js';
import type { RawBody } from '../../platform/http/index.js';
import { Metrics } from '../../platform/observability/index.js';
import { constantTimeEqual } from '../../platform/security/index.js';
import { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from './call-script.js';
import { readAccountId } from './chat-account.js';
import { ChatAccounts } from './chat-accounts.store.js';
import { ChatInbox } from './chat-inbox.store.js';
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
import { InboundSink, type ProviderCallback, ReceiptSink } from './message-driver.js';
import { wrongCallback } from './providers.errors.js';
import { RouteDirectory, type RouteRecord } from './routes.store.js';
import { takenSecrets } from './secrets.js';

/** What a callback of a call asks for or reports. */
export type CallMatter =
  /** what comes next, now that this has happened */
  | { kind: 'step'; step: number; event: CallEvent['kind'] }
  /** how the call ended */
  | { kind: 'status' };

/**
 * Takes a signed callback of a call; resolves with the document that answers it (TwiML), after the commit. May be
 * repeated: the answer is the same then, and nothing happens twice.
 * @throws AppError `forbidden` for an unknown route or a wrong signature; nothing happens then
 */
export class AcceptCallCallbackCommand extends Command<string> {
  constructor(
    readonly route: string,
    /** our reference, from the path */
    readonly ref: string,
    /** null when the path names none: nothing happens, and the call ends */
    readonly matter: CallMatter | null,
    readonly signed: {
      /** path and query as they came, which the signature covers below `PUBLIC_URL` */
      path: string;
      /** `X-Twilio-Signature` */
      signature: string | undefined;
      /** the form's bytes; undefined when there was no readable body */
      form: Buffer | undefined;
    },
  ) {
    super();
  }
}

const HANG_UP: CallStep = { do: 'hangup' };

/** The route that a verified callback came over. */
interface Customer {
  route: RouteRecord;
  config: TwilioConfig;
  /** where the network finds us */
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

  /** @throws AppError `forbidden` */
  private async verified(
    name: string,
    { path, signature, form }: AcceptCallCallbackCommand['signed'],
  ): Promise<Customer> {
    const found = await this.routes.byName(name);
    const route = found?.channel === 'voice' && found.driver === 'twilio' ? found : null;
    const read = twilioConfigSchema.safeParse(route?.config);
    const config = read.success ? read.data : null;
    // Without a route the same work is done, so that names cannot be told by their time.
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
    const place = { origin: customer.origin, route: customer.route.name };
    return renderStep(completed(next, customer), (then) => stepAddress(place, call.ref, step + 1, then));
  }
}

/** The step with what only the route knows: clips of ours become addresses, and its own number shows where none is named. */
function completed(step: CallStep, { origin, config }: Customer): CallStep {
  if (step.do === 'play') return { ...step, audio: audioAddress(origin, step.audio) };
  if (step.do === 'menu' && step.prompt !== null) return { ...step, prompt: audioAddress(origin, step.prompt) };
  if (step.do === 'dial' && step.callerId === '') return { ...step, callerId: config.from ?? '' };
  return step;
}

/** How much of a callback counted. */
export interface ChatCallbackTaken {
  receipts: number;
  /** what contacts wrote, and what they set about campaigns */
  messages: number;
  templates: number;
  /** what belongs to another number or business account, cannot be read, or names no sender */
  dropped: number;
}

/**
 * Takes a signed callback of the chat upstream; resolves when all of it is committed. May be repeated.
 * @throws AppError `forbidden` for an unknown account, one without app secret, or a wrong signature; malformed_json for a
 * signed body that is none; nothing happens then
 */
export class AcceptChatCallbackCommand extends Command<ChatCallbackTaken> {
  constructor(
    /** last segment of the path */
    readonly accountId: string,
    /** `X-Hub-Signature-256` */
    readonly signature: string | undefined,
    /** parsed once its signature is verified */
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
    // Without a secret the same work is done, so that accounts cannot be told by their time.
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
    const { receipts, messages, consents, templates, dropped } = read;
    for (const reason of dropped) this.dropped.inc({ reason });
    await this.inbox.take(account, messages, receivedAt, read);
    if (receipts.length > 0) await this.receipts.accept(account.id, receipts);
    if (templates.length > 0) await this.templates.accept(account, templates);
    return {
      receipts: receipts.length,
      messages: messages.length + consents.length,
      templates: templates.length,
      dropped: dropped.length,
    };
  }
}

/**
 * Takes the receipts of a carrier's callback, and what people wrote back; resolves with the number of receipts after the
 * commit of both.
 * @throws AppError `forbidden` when the route or its secret is wrong (nothing happens then)
 */
export class AcceptProviderCallbackCommand extends Command<number> {
  constructor(
    /** first segments of the path: `sms`, `unofficial` */
    readonly channel: string,
    readonly route: string,
    readonly secret: string,
    readonly head: Omit<ProviderCallback, 'body'>,
    /** reads the body, once the secret is known to be right */
    readonly body: () => Promise<unknown>,
  ) {
    super();
  }
}

@CommandHandler(AcceptProviderCallbackCommand)
export class AcceptProviderCallbackHandler implements ICommandHandler<AcceptProviderCallbackCommand> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
    private readonly receipts: ReceiptSink,
    private readonly inbound: InboundSink,
  ) {}

  async execute({ channel, route: name, secret, head, body }: AcceptProviderCallbackCommand): Promise<number> {
    const route = await this.routes.byName(name);
    // A route that is none costs the same comparison, so that names cannot be told by their time.
    const secrets = route ? takenSecrets(route.callbackSecret, route.formerCallbackSecret) : ['no such route'];
    const known = secrets.map((taken) => constantTimeEqual(secret, taken)).includes(true);
    const driver = route && this.drivers.find(route.driver);
    const config = driver?.configSchema.safeParse(route?.config);
    if (!known || !route || route.channel !== channel || !driver?.parseCallback || !config?.success) {
      throw wrongCallback();
    }
    const callback: ProviderCallback = { ...head, body: await body() };
    const described = { ...route, config: config.data };
    const receipts = driver.parseCallback(described, callback);
    if (receipts.length > 0) await this.receipts.accept(route.id, receipts);
    const texts = driver.parseInbound?.(described, callback) ?? [];
    if (texts.length > 0) await this.inbound.accept(route.id, texts);
    return receipts.length;
  }
}
