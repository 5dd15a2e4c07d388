import { Command } from '@nestjs/cqrs';
import type { Account } from '../../accounts/index.js';
import type { DeskStatus } from '../domain/profile-request.js';

/**
 * The desk takes a request up, completes or rejects it; kept in the audit log.
 * @throws AppError not_found; conflict `Profile request is already <state>`, `Changed since you looked`
 */
export class ProcessProfileRequestCommand extends Command<void> {
  /** @param revision what was looked at; null = not named, which a verdict on a changed request may not be */
  constructor(
    readonly actor: Account,
    readonly requestId: number,
    readonly status: DeskStatus,
    readonly revision: number | null,
  ) {
    super();
  }
}
