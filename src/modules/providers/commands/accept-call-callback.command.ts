import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Counter } from 'prom-client';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../../platform/config/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { audioAddress } from '../drivers/twilio/call-request.js';
import { stepAddress } from '../drivers/twilio/callback-urls.js';
import { callIdOf, readEvent, readReceipt } from '../drivers/twilio/callbacks.js';
import { type TwilioConfig, twilioConfigSchema } from '../drivers/twilio/config.js';
import { type FormParameters, isSigned, readForm } from '../drivers/twilio/signature.js';
import { EMPTY_TWIML, renderStep } from '../drivers/twilio/twiml.js';
import { RouteDirectory } from '../persistence/route-directory.js';
import type { RouteRecord } from '../persistence/route-record.js';
import { type CallEvent, CallScripts, type CallStep, type ScriptedCall } from '../ports/call-script.js';
import { ReceiptSink } from '../ports/message-driver.js';
import { wrongCallback } from '../providers.errors.js';

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
