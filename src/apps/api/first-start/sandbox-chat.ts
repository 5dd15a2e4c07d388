import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AccountDirectory } from '../../../modules/accounts/index.js';
import { ChatAccounts } from '../../../modules/providers/index.js';
import { ENVIRONMENT, type Environment, publicOrigin } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { OutboundClient } from '../../../platform/outbound/index.js';
import { DEMO_USERNAME } from './first-accounts.js';

const PHONE_NUMBER_ID = '100000000000001';
const BUSINESS_ACCOUNT_ID = '200000000000001';
const TRIES = 30;
const BETWEEN_TRIES_MS = 1_000;

const secret = (): string => randomBytes(24).toString('base64url');

/** In development: the demo account's chat account at the sandbox, so that chat messages can be tried at once. */
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

  /** Creates the chat account, or brings its address up to date: the sandbox's port may change. Another's stays. */
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

  /** Tells the sandbox, once it is up, where the callbacks of the demo account's number go. */
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
