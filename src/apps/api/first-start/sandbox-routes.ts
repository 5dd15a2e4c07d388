import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  callbackPath,
  DriverRegistry,
  type OperatorRouteKind,
  RouteDirectory,
  type RouteRecord,
} from '../../../modules/providers/index.js';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';

const SMPP_ROUTE = 'sandbox';
const HTTP_ROUTE = 'sandbox-http';
const UNOFFICIAL_ROUTE = 'sandbox-chat';
const VOICE_ROUTE = 'sandbox-voice';
const VOICE_ACCOUNT = 'AC00000000000000000000000000000001';
const VOICE_TOKEN_BYTES = 16;

/** Where a route stands, and what is known of it. */
interface Place {
  name: string;
  channel: OperatorRouteKind;
  driver: string;
  known: RouteRecord | null;
  asDefault: boolean;
}

/**
 * In development: routes to the sandbox carriers, for SMS over SMPP and over HTTP, for unofficial chat over HTTP, for calls. The
 * sandbox's ports may change from one start to the next, so its addresses are brought up to date; everything else of an
 * existing route stays.
 */
@Injectable()
export class SandboxRoutes {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly routes: RouteDirectory,
    private readonly drivers: DriverRegistry,
  ) {}

  async ensure(): Promise<void> {
    const { NODE_ENV, SANDBOX_SMPP_PORT, SANDBOX_PORT } = this.environment;
    if (NODE_ENV !== 'development') return;
    const routes = await this.routes.list();
    const hasDefault = (channel: OperatorRouteKind): boolean =>
      routes.some((route) => route.channel === channel && route.isDefault);
    await inTransaction(this.dataSource, async (tx) => {
      if (SANDBOX_SMPP_PORT !== 0) await this.ensureSmpp(tx, !hasDefault('sms'));
      if (SANDBOX_PORT === 0) return;
      await this.ensureHttp(tx, { name: HTTP_ROUTE, channel: 'sms' }, false);
      await this.ensureHttp(tx, { name: UNOFFICIAL_ROUTE, channel: 'unofficial' }, !hasDefault('unofficial'));
      await this.ensureVoice(tx, !hasDefault('voice'));
    });
    this.routes.forget();
  }

  private async ensureSmpp(tx: EntityManager, asDefault: boolean): Promise<void> {
    const known = await this.routes.locked(tx, SMPP_ROUTE);
    const address = { host: '127.0.0.1', port: this.environment.SANDBOX_SMPP_PORT };
    const fresh = { system_id: 'switchboard', password: 'sandbox', source_addr: 'SWITCHBD', dlt: {} };
    const place: Place = { name: SMPP_ROUTE, channel: 'sms', driver: 'smpp', known, asDefault };
    await this.put(tx, place, { ...(known?.config ?? fresh), ...address });
  }

  /** The sandbox signs with whatever token its calls were made with, so each installation has its own. */
  private async ensureVoice(tx: EntityManager, asDefault: boolean): Promise<void> {
    const known = await this.routes.locked(tx, VOICE_ROUTE);
    const address = { base_url: `http://127.0.0.1:${this.environment.SANDBOX_PORT}` };
    const fresh = {
      account_sid: VOICE_ACCOUNT,
      auth_token: randomBytes(VOICE_TOKEN_BYTES).toString('hex'),
      from: '15550001111',
    };
    const place: Place = { name: VOICE_ROUTE, channel: 'voice', driver: 'twilio', known, asDefault };
    await this.put(tx, place, { ...(known?.config ?? fresh), ...address });
  }

  private async ensureHttp(
    tx: EntityManager,
    { name, channel }: Pick<Place, 'name' | 'channel'>,
    asDefault: boolean,
  ): Promise<void> {
    const known = await this.routes.locked(tx, name);
    const url = `http://127.0.0.1:${this.environment.SANDBOX_PORT}/gateway/messages`;
    const fresh = {
      method: 'POST',
      id_path: 'id',
      error_code_path: 'code',
      error_text_path: 'error',
      receipt: { error_code_path: 'error_code', error_text_path: 'error', receiver_path: 'to' },
    };
    const body = { to: '{{to}}', text: '{{text}}', media_url: '{{media_url}}', ref: '{{ref}}' };
    const config = { ...(known?.config ?? fresh), url, body };
    const place: Place = { name, channel, driver: 'http', known, asDefault };
    const route = await this.put(tx, place, config);
    // The callback's address holds the secret that the route got when it was made.
    const base = publicOrigin(this.environment) ?? '';
    const callback = base + callbackPath(route);
    await this.put(tx, { ...place, known: route }, { ...config, body: { ...body, callback_url: callback } });
  }

  private put(tx: EntityManager, place: Place, config: Record<string, unknown>): Promise<RouteRecord> {
    const { name, channel, driver, known, asDefault } = place;
    return this.routes.put(tx, {
      name,
      channel,
      driver,
      config: this.drivers.get(driver).configSchema.parse(config) as Record<string, unknown>,
      messagesPerSecond: known?.messagesPerSecond ?? null,
      isDefault: known?.isDefault ?? asDefault,
    });
  }
}
