import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { OperatorChannel } from '../../providers/index.js';

/** What an operator wrote; absent fields keep what stands, null clears. */
export interface RouteRequest {
  channel: OperatorChannel;
  driver: string;
  config: Record<string, unknown>;
  messagesPerSecond: number | null | undefined;
  isDefault: boolean | undefined;
}

/**
 * Creates or changes a route (decisions §8).
 * @throws AppError 400 with the field at fault, 409 when the name is a route of another channel
 */
export class PutRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly request: RouteRequest,
  ) {
    super();
  }
}
