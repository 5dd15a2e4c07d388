import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { DriverRegistry, RouteDirectory, type RouteRecord } from '../../../modules/providers/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';

const SMPP_ROUTE = 'sandbox';
const HTTP_ROUTE = 'sandbox-http';

/**
 * In development: SMS routes to the sandbox carriers, over SMPP and over HTTP. The sandbox's ports may change from one
 * start to the next, so its addresses are brought up to date; everything else of an existing route stays.
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
    const hasDefault = (await this.routes.list()).some((route) => route.channel === 'sms' && route.isDefault);
    await inTransaction(this.dataSource, async (tx) => {
      if (SANDBOX_SMPP_PORT !== 0) await this.ensureSmpp(tx, !hasDefault);
      if (SANDBOX_PORT !== 0) await this.ensureHttp(tx);
    });
    this.routes.forget();
  }

  private async ensureSmpp(tx: EntityManager, asDefault: boolean): Promise<void> {
    const known = await this.routes.locked(tx, SMPP_ROUTE);
    const address = { host: '127.0.0.1', port: this.environment.SANDBOX_SMPP_PORT };
    const fresh = { system_id: 'switchboard', password: 'sandbox', source_addr: 'SWITCHBD' };
    await this.put(tx, SMPP_ROUTE, 'smpp', { ...(known?.config ?? fresh), ...address }, known, asDefault);
  }

  private async ensureHttp(tx: EntityManager): Promise<void> {
    const known = await this.routes.locked(tx, HTTP_ROUTE);
    const url = `http://127.0.0.1:${this.environment.SANDBOX_PORT}/gateway/messages`;
    const fresh = {
      method: 'POST',
      id_path: 'id',
      error_code_path: 'code',
      error_text_path: 'error',
      receipt: { error_code_path: 'error_code', error_text_path: 'error', receiver_path: 'to' },
    };
    const body = { to: '{{to}}', text: '{{text}}', ref: '{{ref}}' };
    const config = { ...(known?.config ?? fresh), url, body };
    const route = await this.put(tx, HTTP_ROUTE, 'http', config, known, false);
    // The callback's address holds the secret that the route got when it was made.
    const base = this.environment.PUBLIC_URL ?? `http://127.0.0.1:${this.environment.PORT}`;
    const callback = new URL(`/provider/sms/${HTTP_ROUTE}/${route.callbackSecret}`, base).href;
    await this.put(tx, HTTP_ROUTE, 'http', { ...config, body: { ...body, callback_url: callback } }, route, false);
  }

  private put(
    tx: EntityManager,
    name: string,
    driver: string,
    config: Record<string, unknown>,
    known: RouteRecord | null,
    asDefault: boolean,
  ): Promise<RouteRecord> {
    return this.routes.put(tx, {
      name,
      channel: 'sms',
      driver,
      config: this.drivers.get(driver).configSchema.parse(config) as Record<string, unknown>,
      messagesPerSecond: known?.messagesPerSecond ?? null,
      isDefault: known?.isDefault ?? asDefault,
    });
  }
}
