import { Command } from '@nestjs/cqrs';

/**
 * Cancels a scheduled session message that has not been sent yet.
 * @throws AppError 404 `Message not found`, 409 `Message is already <state>`
 */
export class CancelSessionMessage extends Command<void> {
  constructor(
    readonly accountId: number,
    readonly id: number,
  ) {
    super();
  }
}
