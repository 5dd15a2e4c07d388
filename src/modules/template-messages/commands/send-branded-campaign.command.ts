import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../accounts/index.js';
import type { IdempotentRequest } from '../../idempotency/index.js';
import type { QueuedTemplateSend } from '../template-queue.js';

/**
 * Sends an approved template to many over the branded connection, else the official one (spec 4.6, decisions §7).
 * Numbers that are none are dropped silently.
 * @throws AppError the rows of spec 7 in their order; `failed` `Failed to queue template campaign`
 */
export class SendBrandedCampaignCommand extends Command<QueuedTemplateSend> {
  constructor(
    readonly actor: Actor,
    readonly body: unknown,
    readonly idempotent: IdempotentRequest | null,
  ) {
    super();
  }
}
