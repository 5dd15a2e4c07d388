import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountDirectory } from '../../modules/accounts/index.js';
import {
  callbackPath,
  ChatAccounts,
  DriverRegistry,
  type OperatorRouteKind,
  RouteDirectory,
  type RouteRecord,
} from '../../modules/providers/index.js';
import { type Environment, ENVIRONMENT, publicOrigin } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { OutboundClient } from '../../platform/outbound/index.js';
import { DEMO_USERNAME } from './first-accounts.js';

const PHONE_NUMBER_ID = '100000000000001';
const BUSINESS_ACCOUNT_ID = '200000000000001';
const TRIES = 30;
const BETWEEN_TRIES_MS = 1_000;

const secret = (): string => randomBytes(24).toString('base64url');

/** In development: the demo account's chat account at the sandbox. */
@Injectable()
export class SandboxChat {
  private readonly logger = new Logger(SandboxChat.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly accounts: AccountDirectory,
    private readonly chatAccounts: ChatAccounts,
    private readonly outbound: OutboundClient,
  ) {}

  private get absent(): boolean {
    return this.environment.NODE_ENV !== 'development' || this.environment.SANDBOX_PORT === 0;
  }

  private get sandbox(): string {
    return `http://127.0.0.1:${this.environment.SANDBOX_PORT}`;
  }

  /** Creates the chat account or updates its address (the sandbox's port may change); keeps one at another address. */
  async ensure(): Promise<void> {
    const demo = this.absent ? null : await this.accounts.byUsername(DEMO_USERNAME);
    if (!demo) return;
    const url = `${this.sandbox}/v21.0/${PHONE_NUMBER_ID}`;
    await inTransaction(this.dataSource, async (tx) => {
      const known = await this.chatAccounts.locked(tx, demo.id, 'official');
      if (known && !known.url?.endsWith(`/${PHONE_NUMBER_ID}`)) return;
      const fresh = {
        accountId: demo.id,
        connection: 'official',
        provider: 'meta_cloud',
        number: '15550000000',
        token: secret(),
        appId: '300000000000001',
        appSecret: secret(),
        verifyToken: secret(),
        bmid: null,
        wabaId: BUSINESS_ACCOUNT_ID,
        messagesPerSecond: null,
      } as const;
      await this.chatAccounts.put(tx, { ...(known ?? fresh), url });
    });
    this.chatAccounts.forget();
  }

  /** Registers the callback of the demo account's number at the sandbox. */
  async announce(): Promise<void> {
    const demo = this.absent ? null : await this.accounts.byUsername(DEMO_USERNAME);
    const account = demo && (await this.chatAccounts.find(demo.id, 'official'));
    if (!account?.url?.startsWith(`${this.sandbox}/`)) return;
    const base = publicOrigin(this.environment) ?? '';
    const body = JSON.stringify({
      phone_number_id: PHONE_NUMBER_ID,
      waba_id: account.wabaId,
      callback_url: `${base}/provider/chat/${account.id}`,
      app_secret: account.appSecret,
      verify_token: account.verifyToken,
    });
    for (let tries = 0; tries < TRIES; tries++) {
      if (await this.post(`${this.sandbox}/chat/accounts`, body)) return;
      await sleep(BETWEEN_TRIES_MS, undefined, { ref: false });
    }
    this.logger.warn('The sandbox does not know the chat account of the demo account: no callbacks will come');
  }

  private post(url: string, body: string): Promise<boolean> {
    const headers = { 'content-type': 'application/json' };
    return this.outbound
      .request({ url, method: 'POST', headers, body, trusted: true })
      .then((answer) => answer.status === 200)
      .catch(() => false);
  }
}

const SMPP_ROUTE = 'sandbox';
const HTTP_ROUTE = 'sandbox-http';
const UNOFFICIAL_ROUTE = 'sandbox-chat';
const VOICE_ROUTE = 'sandbox-voice';
const VOICE_ACCOUNT = 'AC00000000000000000000000000000001';
const VOICE_TOKEN_BYTES = 16;

interface WantedRoute {
  name: string;
  channel: OperatorRouteKind;
  driver: string;
  known: RouteRecord | null;
  asDefault: boolean;
}

/** In development: routes to the sandbox carriers. Only the addresses of existing routes are updated: ports may change. */
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
    const wanted: WantedRoute = { name: SMPP_ROUTE, channel: 'sms', driver: 'smpp', known, asDefault };
    await this.put(tx, wanted, { ...(known?.config ?? fresh), ...address });
  }

  // The sandbox signs with the token of the calls, so each installation makes its own.
  private async ensureVoice(tx: EntityManager, asDefault: boolean): Promise<void> {
    const known = await this.routes.locked(tx, VOICE_ROUTE);
    const address = { base_url: `http://127.0.0.1:${this.environment.SANDBOX_PORT}` };
    const fresh = {
      account_sid: VOICE_ACCOUNT,
      auth_token: randomBytes(VOICE_TOKEN_BYTES).toString('hex'),
      from: '15550001111',
    };
    const wanted: WantedRoute = { name: VOICE_ROUTE, channel: 'voice', driver: 'twilio', known, asDefault };
    await this.put(tx, wanted, { ...(known?.config ?? fresh), ...address });
  }

  private async ensureHttp(
    tx: EntityManager,
    { name, channel }: Pick<WantedRoute, 'name' | 'channel'>,
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
    const wanted: WantedRoute = { name, channel, driver: 'http', known, asDefault };
    const route = await this.put(tx, wanted, config);
    // The callback address contains the route's secret, which exists only after the first write.
    const base = publicOrigin(this.environment) ?? '';
    const callback = base + callbackPath(route);
    await this.put(tx, { ...wanted, known: route }, { ...config, body: { ...body, callback_url: callback } });
  }

  private put(tx: EntityManager, wanted: WantedRoute, config: Record<string, unknown>): Promise<RouteRecord> {
    const { name, channel, driver, known, asDefault } = wanted;
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
