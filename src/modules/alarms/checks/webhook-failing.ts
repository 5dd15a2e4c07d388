import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { FailingEndpoints } from '../../webhooks/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** Every delivery to an endpoint has failed for a while. */
@Injectable()
export class WebhookFailing implements AlarmCheck {
  readonly kind = 'webhook_failing';

  constructor(
    private readonly endpoints: FailingEndpoints,
    private readonly accounts: AccountDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_WEBHOOK_FAILING'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_WEBHOOK_FAILING: sinceMs } = this.environment;
    const failing = await this.endpoints.since(sinceMs);
    return Promise.all(
      failing.map(async ({ id, accountId, seconds }): Promise<Finding> => {
        const username = (await this.accounts.byId(accountId))?.username ?? String(accountId);
        const message = `Every delivery to webhook ${id} of ${username} has failed for ${Math.floor(seconds / 60)} min`;
        return { subject: `${username}/${id}`, message, value: Math.floor(seconds), threshold: sinceMs / 1000 };
      }),
    );
  }
}
