import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';

/** Where a route's callbacks go from now on, and how long they may go on coming to the address before. */
export interface RotatedCallback {
  callback_url: string;
  /** YYYY-MM-DD HH:MM:SS in the actor's time zone */
  previous_valid_until: string;
}

/**
 * A new secret in a route's callback address; the one before is taken for 24 h more, and no other (decisions §11).
 * @throws AppError 404 `Route not found`, 409 `Route has no callback address`
 */
export class RotateCallbackSecretCommand extends Command<RotatedCallback> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}
